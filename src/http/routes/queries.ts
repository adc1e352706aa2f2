import type { Caller } from '../../app/app.ts';
import type { AnswerOf } from '../../contract/route.ts';
import { queries, type storageQueries } from '../../contract/routes/queries.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { freshHeaders } from '../answer.ts';
import { authenticate, targetOf } from '../credentials.ts';
import { type Exchange, param, queryParam, queryText } from '../exchange.ts';
import { disconnectSignal } from '../guards/disconnect.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { CLAIM_MEMBERS } from '../names.ts';
import { readAnswer, type Services } from './services.ts';

export function queryHandlers(services: Services): Handlers<typeof queries> {
  return { run: (ctx) => runQuery(ctx, services) };
}

/** Runs a query under its old path. */
export function storageQueryHandlers(services: Services): Handlers<typeof storageQueries> {
  return { runOld: (ctx) => runQuery(ctx, services) };
}

function runQuery(ctx: ContextOf<typeof queries.run>, { app }: Services): Awaitable<AnswerOf<typeof queries.run>> {
  const { exchange } = ctx.state;
  const run = (caller: Caller) =>
    app.queries.run(caller, {
      id: param(ctx, 'query'),
      target: targetOf(exchange),
      fresh: wantsFresh(exchange),
      limit: queryParam(ctx, 'limit'),
      offset: queryParam(ctx, 'offset'),
      player: requestedPlayer(exchange),
      around: queryParam(ctx, 'around'),
      abortSignal: () => disconnectSignal(ctx.res),
    });
  return andThen(andThen(authenticate(app, ctx, queries.run), run), (answer) =>
    readAnswer(answer, { ...freshHeaders(answer), 'Cache-Control': 'no-store, max-age=0' }),
  );
}

/** The player whose rank is requested. Only the query names it: the header names the caller. */
function requestedPlayer(exchange: Exchange): string | null {
  if (exchange.search === '') return null;
  for (const name of CLAIM_MEMBERS) {
    const text = queryText(exchange, name);
    if (text !== null) return text;
  }
  return null;
}

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off|none|bypass)$/i;

/** Whether the caller wants a fresh result instead of a cached one. */
function wantsFresh(exchange: Exchange): boolean {
  if (exchange.search === '') return false;
  if (['fresh', 'live', 'noCache'].some((name) => YES.test(queryText(exchange, name) ?? ''))) return true;
  return NO.test(queryText(exchange, 'cache') ?? '');
}
