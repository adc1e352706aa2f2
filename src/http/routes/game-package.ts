import { gamePackage } from '../../contract/routes/project.ts';
import { revisionIdOf } from '../../domain/revision/status.ts';
import { isObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { invalidJson, readJson } from '../body.ts';
import { authenticate, revisionOf } from '../credentials.ts';
import type { Handlers } from '../handlers.ts';
import { managed, presentBody, type Services } from './services.ts';

/** The game's package, which editors read and send, and the handshake of a game that starts. */
export function gamePackageHandlers({ app, gameBody, managementBody }: Services): Handlers<typeof gamePackage> {
  return {
    async sync(ctx) {
      const caller = await authenticate(app, ctx, gamePackage.sync);
      const body = await presentBody(ctx.state.exchange, managementBody, invalidJson);
      return managed(await app.gamePackage.sync(caller, body));
    },

    async read(ctx) {
      return managed(await app.gamePackage.read(await authenticate(app, ctx, gamePackage.read)));
    },

    async init(ctx) {
      const caller = await authenticate(app, ctx, gamePackage.init);
      const { exchange } = ctx.state;
      const body = await readJson(exchange, gameBody, invalidJson);
      const named = isObject(body) ? revisionIdOf(member(body, 'revisionId')) : null;
      return managed(await app.gamePackage.init(caller, named ?? revisionOf(exchange)));
    },
  };
}
