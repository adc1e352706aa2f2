import { Refusal } from '../../kernel/errors.ts';
import type { Answer } from '../answer.ts';
import { type Invalid, readJson } from '../body.ts';
import { ANY_SECRET_KEY, authenticate, EVERYTHING_WRITTEN, targetOf } from '../credentials.ts';
import { managed, type Routes, type Services, strictOf } from './services.ts';

const invalidSync: Invalid = (message) => new Refusal(400, 'VALIDATION_FAILED', message);
const invalidPreflight: Invalid = () => new Refusal(400, 'INVALID_JSON', 'Body must be valid JSON.', { body: { mode: 'preflight' } });

/** Pushes of whole projects, and the bringing up of old source texts (management 11, 12). What a key must be permitted for a push, the body says. */
export function syncRoutes(router: Routes, { app, managementBody }: Services): void {
  router.put('/:project/sync', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, ANY_SECRET_KEY);
    const { exchange } = ctx.state;
    const body = await readJson(exchange, managementBody, invalidSync);
    return managed(await app.manage.sync(caller, body, targetOf(exchange), strictOf(exchange, body)));
  });

  router.post('/:project/sync/preflight', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, ANY_SECRET_KEY);
    const { exchange } = ctx.state;
    const body = await readJson(exchange, managementBody, invalidPreflight);
    return managed(await app.manage.preflight(caller, body, targetOf(exchange), strictOf(exchange, body)));
  });

  router.post('/:project/source-upgrade', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, EVERYTHING_WRITTEN);
    return managed(await app.manage.upgradeSource(caller, await readJson(ctx.state.exchange, managementBody, invalidSync)));
  });
}
