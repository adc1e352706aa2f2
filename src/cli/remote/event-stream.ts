import { readEvents, type ServerEvent } from '../../client/events.ts';
import { askingAt } from '../../folder/credentials.ts';
import { answerOf, refused, strangeAnswer, unreachable } from '../../folder/exchange.ts';
import type { Remote } from '../../folder/remote.ts';

/** Reads server-sent events of a server. */

export interface StreamRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The stream resumes after this event. */
  readonly after: string | null;
  readonly signal: AbortSignal;
}

/** Passes each event on until the stream ends. Throws if the connection breaks. */
export type EventStream = (onEvent: (event: ServerEvent) => void) => Promise<void>;

/** Opens a stream. Throws `RemoteRefusal` and `RemoteUnreachable`. */
export async function openEvents({ server, headers: said }: Remote, { path, query, after, signal }: StreamRequest): Promise<EventStream> {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const asking = askingAt(server);
  const headers = { accept: 'text/event-stream', ...asking.headers, ...said, ...(after === null ? {} : { 'last-event-id': after }) };
  const url = `${asking.origin}${path}?${new URLSearchParams(parameters)}`;
  const response = await fetch(url, { headers, signal, redirect: 'error' }).catch((error: unknown) => {
    throw unreachable(url, 'GET', error);
  });
  const { body } = response;
  if (!response.ok || body === null) throw refused(await answerOf(response));
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    await body.cancel();
    throw strangeAnswer(url, 'it is no stream of events');
  }
  return (onEvent) => readEvents(body, { signal, onEvent });
}
