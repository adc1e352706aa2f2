import type { Answer } from '../answer.ts';
import { authenticate, targetOf, VIEW_KEYS } from '../credentials.ts';
import { queryText } from '../exchange.ts';
import { type Routes, readAnswer, type Services } from './services.ts';

/** Game values (runtime-storage 17). */
export function valueRoutes(router: Routes, { app }: Services): void {
  router.get('/:project', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, VIEW_KEYS);
    return readAnswer(await app.values.read(caller, targetOf(ctx.state.exchange)));
  });
}

/** The project's rate limits (runtime-storage 11.3). */
export function rateLimitRoutes(router: Routes, { app }: Services): void {
  router.get('/:project/rate-limits', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, VIEW_KEYS);
    const { exchange } = ctx.state;
    return readAnswer(await app.values.rateLimits(caller, targetOf(exchange), queryText(exchange, 'platformId')));
  });
}
