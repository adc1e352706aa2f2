import type { ManageAnswer } from '../../app/app.ts';
import type { Pressed } from '../../contract/answers.ts';
import { buttons } from '../../contract/routes/buttons.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { countedCall } from './counted-call.ts';
import { managed, type Services } from './services.ts';

/** Buttons of the game's own. What is pressed stands in the call log as a call of its endpoint; a look does not. */
export function buttonHandlers(services: Services): Handlers<typeof buttons> {
  const { app, calls } = services;
  return answering(services, buttons, {
    list: async ({ caller, query, target }) => managed(await app.buttons.list(caller, query.page, target)),

    async press({ exchange, caller, params, body, target }) {
      const press = () => app.buttons.press(caller, params.slug, body, target);
      if (body.dryRun) return managed(await press());
      const called = { project: caller.projectId, slug: params.slug, target, platformId: body.player ?? null };
      return { ...managed(await countedCall(calls, exchange, called, press, cameOf)), done: true };
    },
  });
}

function cameOf({ result: { result }, position }: ManageAnswer<Pressed>) {
  return { status: result.status, body: result.body, revision: position };
}
