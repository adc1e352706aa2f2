import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A client of the live stream that keeps whatever comes. */

export interface Came {
  readonly id: string | null;
  readonly event: string;
  readonly data: {
    readonly topic?: string;
    readonly revision?: number;
    readonly version?: number;
    readonly value?: unknown;
    readonly error?: { readonly code: string; readonly status: number };
  };
}

export interface LiveClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All events so far. */
  readonly events: readonly Came[];
  /** The same without those that say whether the node may lag behind: on a busy machine it may, at any time. */
  readonly told: readonly Came[];
  /** The last id, as a browser keeps it. */
  lastId(): string | null;
  /** Waits for an event; throws with all that came if there is none in time. */
  next(is: (came: Came) => boolean): Promise<Came>;
  /** The same, among all that came since the beginning. */
  ever(is: (came: Came) => boolean): Promise<Came>;
  /** Reads no further until the answer's `resume`. */
  readonly reply: IncomingMessage;
  readonly ended: Promise<void>;
  /** Text of an answer that is no stream. */
  text(): string;
  close(): void;
}

const TIMEOUT_MS = 60_000;

export async function listen(
  url: string,
  projectId: string,
  topics: readonly string[],
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): Promise<LiveClient> {
  const search = new URLSearchParams([...topics.map((topic): [string, string] => ['topic', topic]), ...Object.entries(query)]);
  const outgoing: ClientRequest = request(`${url}/v3/live/${projectId}?${search}`, { agent: false, headers });
  outgoing.end();
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
  const events: Came[] = [];
  let lastId: string | null = null;
  let all = '';
  let buffered = '';
  reply.setEncoding('utf8');
  reply.on('data', (chunk: string) => {
    all += chunk;
    buffered += chunk;
    for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
      const fields = new Map(
        buffered
          .slice(0, end)
          .split('\n')
          .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      buffered = buffered.slice(end + 2);
      lastId = fields.get('id') ?? lastId;
      const data = fields.get('data');
      if (data !== undefined)
        events.push({ id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
    }
  });
  const ended = new Promise<void>((resolve) => {
    reply.once('close', () => resolve());
    reply.once('error', () => resolve());
  });
  outgoing.on('error', () => undefined);
  let seen = 0;
  const next = async (is: (came: Came) => boolean) => {
    const until = performance.now() + TIMEOUT_MS;
    for (; performance.now() < until; await sleep(5)) {
      while (seen < events.length) {
        const came = events[seen];
        seen += 1;
        if (came !== undefined && is(came)) return came;
      }
    }
    throw new Error(`It did not come; there came ${all.slice(-4_000)}`);
  };
  return {
    status: reply.statusCode ?? 0,
    headers: reply.headers,
    events,
    get told() {
      return events.filter(({ event }) => event !== 'stale');
    },
    reply,
    ended,
    lastId: () => lastId,
    text: () => all,
    next,
    ever: async (is) => events.find(is) ?? next(is),
    close: () => outgoing.destroy(),
  };
}
