import { lazyRouteComponent } from '@tanstack/react-router';
import { reach } from '../api/http.ts';

/**
 * A page whose code is loaded when somebody goes there. Where the server does not answer, that is what is told. Where it has another build
 * by now, the router loads the whole console anew.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        await reach();
        throw error;
      }),
    name,
  );
