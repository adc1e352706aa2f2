import { revisionIdOf } from '../../domain/revision/status.ts';
import { isObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Answer } from '../answer.ts';
import { invalidJson, readJson } from '../body.ts';
import { authenticate, EVERYTHING_READ, INIT_KEYS, PACKAGE_KEYS, revisionOf } from '../credentials.ts';
import { managed, presentBody, type Routes, type Services } from './services.ts';

/** The game's package, as editors tell and read it, and the handshake of a game that starts (management 14 and 15). */
export function gamePackageRoutes(router: Routes, { app, gameBody, managementBody }: Services): void {
  router.post('/:project/package-sync', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, PACKAGE_KEYS);
    const body = await presentBody(ctx.state.exchange, managementBody, invalidJson);
    return managed(await app.gamePackage.sync(caller, body));
  });

  router.get('/:project/game-package', async (ctx): Promise<Answer> => {
    return managed(await app.gamePackage.read(await authenticate(app, ctx, EVERYTHING_READ)));
  });

  router.post('/:project/revision-init', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, INIT_KEYS);
    const { exchange } = ctx.state;
    const body = await readJson(exchange, gameBody, invalidJson);
    const told = isObject(body) ? revisionIdOf(member(body, 'revisionId')) : null;
    return managed(await app.gamePackage.init(caller, told ?? revisionOf(exchange)));
  });
}
