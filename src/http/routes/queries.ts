import type { Answer } from '../answer.ts';
import { authenticate, QUERY_KEYS, targetOf } from '../credentials.ts';
import { type Context, type Exchange, param, queryText } from '../exchange.ts';
import { leftOf } from '../left.ts';
import { CLAIM_MEMBERS } from '../names.ts';
import { type Routes, readAnswer, type Services } from './services.ts';

/** `/v3/queries/{p}/{q}` (runtime-storage 16). */
export function queryRoutes(router: Routes, services: Services): void {
  router.get('/:project/:query', (ctx): Promise<Answer> => runQuery(ctx, services));
}

/** `/api/storage/{p}/queries/{q}`, the same call under its old address. */
export function storageQueryRoutes(router: Routes, services: Services): void {
  router.get('/:project/queries/:query', (ctx): Promise<Answer> => runQuery(ctx, services));
}

async function runQuery(ctx: Context, { app }: Services): Promise<Answer> {
  const caller = await authenticate(app, ctx, QUERY_KEYS);
  const { exchange } = ctx.state;
  const answer = await app.queries.run(caller, {
    id: param(ctx, 'query'),
    target: targetOf(exchange),
    fresh: wantsFresh(exchange),
    limit: queryText(exchange, 'limit'),
    offset: queryText(exchange, 'offset'),
    player: playerAsked(exchange),
    around: queryText(exchange, 'around'),
    left: () => leftOf(ctx.res),
  });
  return readAnswer(answer);
}

/** Out of the query alone: the header says who asks, not whose rank is wanted. */
function playerAsked(exchange: Exchange): string | null {
  if (exchange.search === '') return null;
  for (const name of CLAIM_MEMBERS) {
    const text = queryText(exchange, name);
    if (text !== null) return text;
  }
  return null;
}

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off|none|bypass)$/i;

/** Whether the caller asks for a live run (runtime-storage 16.7). */
function wantsFresh(exchange: Exchange): boolean {
  if (exchange.search === '') return false;
  if (['fresh', 'live', 'noCache'].some((name) => YES.test(queryText(exchange, name) ?? ''))) return true;
  return NO.test(queryText(exchange, 'cache') ?? '');
}
