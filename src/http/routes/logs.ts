import type { Caller } from '../../app/app.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import type { AnswerOf } from '../../contract/route.ts';
import { logs } from '../../contract/routes/logs.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { MAX_KEPT, type RequestFilter } from '../call-log.ts';
import { authenticate } from '../credentials.ts';
import { EVENT_STREAM, EVENT_STREAM_HEADERS, type EventStream, frameOf } from '../event-stream.ts';
import { headerText, queryParam } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import type { Services } from './services.ts';

type LogContext = ContextOf<typeof logs.read>;

/** Bytes that may wait for one client before requests are left out for it. */
const MAX_WAITING_BYTES = 262_144;
/** Interval at which the key of a stream is checked again, ms. */
const CHECK_MS = 1_000;
const DEFAULT_LIMIT = 50;

/** The call log of a project, as far as this process served its requests. */
export function logHandlers({ app, callLog, streams }: Services): Handlers<typeof logs> {
  const follow = (ctx: LogContext, { projectId: project }: Caller, filter: RequestFilter, limit: number): AnswerOf<typeof logs.read> => {
    const before = callLog.last(project, filter, limit, headerText(ctx.state.exchange, 'last-event-id'));
    let leave = () => {};
    const stream = streams.open({ project, response: ctx.res, maxWaiting: MAX_WAITING_BYTES, onClose: () => leave() });
    const receive = (requests: readonly LoggedRequest[]) => {
      return stream.offer(requests.map(frameOfRequest).join(''));
    };
    const miss = (missed: number | null) => stream.send(frameOf({ event: 'gap', data: JSON.stringify({ missed }) }));
    try {
      const stopListening = callLog.listen(project, { filter, receive, miss });
      const stopChecking = recheck(stream, async () => void (await authenticate(app, ctx, logs.read)));
      leave = () => {
        stopListening();
        stopChecking();
      };
    } catch (error) {
      stream.body.destroy();
      throw error;
    }
    if (before.missed !== 0) miss(before.missed);
    receive(before.requests);
    return { stream: stream.body, contentType: EVENT_STREAM, headers: EVENT_STREAM_HEADERS };
  };

  return {
    async read(ctx) {
      const caller = await authenticate(app, ctx, logs.read);
      const filter = { slug: queryParam(ctx, 'slug'), platformId: queryParam(ctx, 'platformId'), errors: flagOf(ctx, 'errors') };
      const limit = limitOf(queryParam(ctx, 'limit'));
      const streams = flagOf(ctx, 'follow') || (headerText(ctx.state.exchange, 'accept') ?? '').includes(EVENT_STREAM);
      if (streams && ctx.method !== 'HEAD') return follow(ctx, caller, filter, limit);
      const { requests } = callLog.last(caller.projectId, filter, limit, headerText(ctx.state.exchange, 'last-event-id'));
      return { body: { ok: true, requests }, headers: { 'Cache-Control': 'no-store' } };
    },
  };
}

function frameOfRequest(request: LoggedRequest): string {
  return frameOf({ id: request.id, event: 'request', data: JSON.stringify(request) });
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

function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_KEPT) return Number(text);
  throw refusal('VALIDATION_FAILED', `\`limit\` is a number from 0 to ${MAX_KEPT}`);
}
