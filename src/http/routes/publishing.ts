import { publishing } from '../../contract/routes/publishing.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Pushes of whole projects, and what tools ask about a project as a whole. */
export function publishingHandlers(services: Services): Handlers<typeof publishing> {
  const { manage, manifest } = services.app;
  return answering(services, publishing, {
    // The body decides which permissions a push needs.
    sync: async ({ caller, body, target, query }) => managed(await manage.sync(caller, body, target, query)),
    preflight: async ({ caller, body, target, query }) => managed(await manage.preflight(caller, body, target, query)),
    upgradeSource: async ({ caller, body }) => managed(await manage.upgradeSource(caller, body)),
    manifest: async ({ caller, target }) => managed(await manifest.read(caller, target)),
    job: async ({ caller, params }) => managed(await manifest.job(caller, params.job)),
  });
}
