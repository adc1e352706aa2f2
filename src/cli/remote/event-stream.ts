import { RemoteRefusal, RemoteUnreachable } from '../../folder/refusal.ts';
import type { Remote } from '../../folder/remote.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { textOf } from './requests.ts';

/** Server-sent events of a server. */

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

export interface StreamRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Goes on after this event. */
  readonly after: string | null;
  readonly signal: AbortSignal;
}

/** Opens a stream. Throws `RemoteRefusal` and `RemoteUnreachable`; what breaks it later is thrown by the reading. */
export async function openEvents({ place }: Remote, { path, query, after, signal }: StreamRequest): Promise<AsyncIterable<ServerEvent>> {
  const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const headers = { accept: 'text/event-stream', 'x-api-key': place.secretKey, ...(after === null ? {} : { 'last-event-id': after }) };
  const url = `${place.address}${path}?${new URLSearchParams(asked)}`;
  const response = await fetch(url, { headers, signal, redirect: 'error' }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RemoteUnreachable(
      'UNREACHABLE',
      `${place.address} cannot be reached (${why}). Start the node, or check the address in savepoint.json.`,
    );
  });
  if (response.ok && response.body !== null) return serverEvents(response.body, signal);
  const body = tryParseJson(await response.text());
  const whole = isObject(body) ? body : {};
  const error = isObject(whole['error']) ? whole['error'] : {};
  throw new RemoteRefusal(response.status, textOf(error['code']), textOf(error['message']) || `HTTP ${response.status}`, {}, whole);
}

async function* serverEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // The signal of `fetch` is forgotten with the response: a stream that lives longer has to be ended by its reader.
  const leave = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = `${text}${decoder.decode(value, { stream: true })}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/** `null` for a comment, which only keeps the connection. */
function eventOf(block: string): ServerEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const data = fields.get('data');
  return data === undefined ? null : { id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data };
}
