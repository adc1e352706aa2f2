import type { Caller, RequestFilter } from '../../app/app.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import type { AnswerOf } from '../../contract/route.ts';
import { logs, PLAYERS_LOGS } from '../../contract/routes/logs.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { queryTimeOf } from '../../kernel/instant.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { type LogPage, MAX_PAGE } from '../call-log/call-log.ts';
import { summaryOf } from '../call-log/summary.ts';
import { authenticate } from '../credentials.ts';
import { EVENT_STREAM, EVENT_STREAM_HEADERS, type EventStream, frameOf } from '../event-stream.ts';
import { headerText, queryParam } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { shownRequests } from '../masking.ts';
import { endRevealedInTime } from '../reveal.ts';
import type { Services } from './services.ts';

type LogContext = ContextOf<typeof logs.read>;

/** Bytes that may wait for one client before requests are left out for it. */
const MAX_WAITING_BYTES = 262_144;
/** Interval at which the key of a stream is checked again, ms. */
const CHECK_MS = 1_000;
const DEFAULT_LIMIT = 50;
/** The window of a summary. */
const HOUR_MS = 3_600_000;

/** The call log of a project. */
export function logHandlers({ app, callLog, streams }: Services): Handlers<typeof logs> {
  const follow = async (
    ctx: LogContext,
    { projectId: project }: Caller,
    filter: RequestFilter,
    page: LogPage,
  ): Promise<AnswerOf<typeof logs.read>> => {
    const shown = await shownRequests(app, ctx.state.exchange, project);
    const following = await callLog.follow(project, filter, page);
    let leave = following.cancel;
    const stream = streams.open({ project, response: ctx.res, maxWaiting: MAX_WAITING_BYTES, onClose: () => leave() });
    endRevealedInTime(ctx.state.exchange, project, stream);
    const receive = (requests: readonly LoggedRequest[]) =>
      stream.offer(requests.map((request) => frameOf({ id: request.id, event: 'request', data: stringifyJson(shown(request)) })).join(''));
    const miss = (missed: number | null) => stream.send(frameOf({ event: 'gap', data: JSON.stringify({ missed }) }));
    if (following.missed !== 0) miss(following.missed);
    receive(following.requests);
    const stopListening = following.start({ receive, miss });
    const stopChecking = recheck(stream, async () => void (await authenticate(app, ctx, keysOf(filter.platformId))));
    leave = () => {
      stopListening();
      stopChecking();
    };
    return { stream: stream.body, contentType: EVENT_STREAM, headers: EVENT_STREAM_HEADERS };
  };

  return {
    async summary(ctx): Promise<AnswerOf<typeof logs.summary>> {
      const { projectId } = await authenticate(app, ctx, logs.summary);
      const end = timeOf(ctx, 'to') ?? Date.now();
      const from = timeOf(ctx, 'from') ?? end - HOUR_MS;
      // Nothing lies between the two the wrong way round, nor in the future.
      const to = Math.max(from, end);
      const target = queryParam(ctx, 'target') ?? 'live';
      if (target !== 'live' && target !== 'next') throw refusal('VALIDATION_FAILED', '`target` must be live or next');
      const { missed, isPartial, ...groups } = await callLog.groups(projectId, { from, to });
      const summary = summaryOf(groups, { from, to }, target);
      return {
        body: { ok: true, ...summary, missed, ...(isPartial ? { partial: true } : {}) },
        headers: { 'Cache-Control': 'no-store' },
      };
    },

    async read(ctx): Promise<AnswerOf<typeof logs.read>> {
      const caller = await authenticate(app, ctx, keysOf(playerOf(ctx)));
      const filter = filterOf(ctx);
      const page = {
        limit: limitOf(queryParam(ctx, 'limit')),
        cursor: queryParam(ctx, 'cursor'),
        after: headerText(ctx.state.exchange, 'last-event-id'),
      };
      const streams = flagOf(ctx, 'follow') || (headerText(ctx.state.exchange, 'accept') ?? '').includes(EVENT_STREAM);
      if (streams && ctx.method !== 'HEAD') return follow(ctx, caller, filter, page);
      const { requests, cursor, missed, isPartial } = await callLog.read(caller.projectId, filter, page);
      return {
        body: { ok: true, requests: [...requests], cursor, missed, ...(isPartial ? { partial: true } : {}) },
        headers: { 'Cache-Control': 'no-store' },
      };
    },
  };
}

/** Support may ask for the requests of one player. */
function keysOf(player: string | null) {
  return player === null ? logs.read : PLAYERS_LOGS;
}

function playerOf(ctx: LogContext): string | null {
  return queryParam(ctx, 'player') ?? queryParam(ctx, 'platformId');
}

/** A text that the table can be asked for. */
function textOf(ctx: LogContext, name: 'player' | 'platformId' | 'slug' | 'code' | 'requestId'): string | null {
  const text = queryParam(ctx, name);
  if (text?.includes('\0')) throw refusal('VALIDATION_FAILED', `\`${name}\` must be a text without U+0000, which nothing stored holds`);
  return text;
}

function filterOf(ctx: LogContext): RequestFilter {
  const platformId = textOf(ctx, 'player') ?? textOf(ctx, 'platformId');
  if (platformId !== (queryParam(ctx, 'platformId') ?? platformId))
    throw refusal('VALIDATION_FAILED', '`player` and `platformId` name two players; they are one parameter');
  return {
    platformId,
    slug: textOf(ctx, 'slug'),
    errors: flagOf(ctx, 'errors'),
    status: statusOf(queryParam(ctx, 'status')),
    code: textOf(ctx, 'code'),
    requestId: textOf(ctx, 'requestId'),
    from: timeOf(ctx, 'from'),
    to: timeOf(ctx, 'to'),
  };
}

/** Checks at intervals whether the caller may still read this. If not, ends the stream with the refusal. */
function recheck(stream: EventStream, check: () => Promise<void>): () => void {
  const timer = setInterval(() => {
    check().catch((error: unknown) => {
      // A server failure says nothing about the key.
      if (!(error instanceof Refusal) || error.status >= 500) return;
      const { code, message } = error;
      stream.send(frameOf({ event: 'refused', data: JSON.stringify({ code, message }) }));
      stream.end();
    });
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

function flagOf(ctx: LogContext, name: 'errors' | 'follow'): boolean {
  const text = queryParam(ctx, name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw refusal('VALIDATION_FAILED', `\`${name}\` must be true or false`);
  return text === 'true';
}

function timeOf(ctx: LogContext | ContextOf<typeof logs.summary>, name: 'from' | 'to'): number | null {
  const text = queryParam(ctx, name);
  const time = text === null ? null : queryTimeOf(text);
  if (text === null || time !== null) return time;
  throw refusal('VALIDATION_FAILED', `\`${name}\` is an ISO time with a zone, such as 2026-03-29T10:00:00Z, a date, or unix milliseconds`);
}

function statusOf(text: string | null): number | null {
  if (text === null) return null;
  if (/^[1-5]\d\d$/.test(text)) return Number(text);
  throw refusal('VALIDATION_FAILED', '`status` is a number from 100 to 599');
}

function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_PAGE) return Number(text);
  throw refusal('VALIDATION_FAILED', `\`limit\` is a number from 0 to ${MAX_PAGE}`);
}
