/** Server-sent events of an answer that goes on. */

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

export interface EventReader {
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Called for whatever arrives, comments too. */
  alive?(): void;
  /** Called with each event. */
  hear(event: ServerEvent): void;
}

/** Characters of one event: no server of ours sends as many. */
const LONGEST = 67_108_864;

/** Reads until the answer ends, or the signal says so. Throws if the connection breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, { signal, alive, hear }: EventReader): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Node drops the signal of `fetch` once there is a response, so the reader has to end a stream that lives longer.
  const leave = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive?.();
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > LONGEST) throw new Error('an event without end');
      for (const block of blocks) hear(eventOf(block));
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

function eventOf(block: string): ServerEvent {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1).replace(/^ /, '')];
    }),
  );
  return { id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data: fields.get('data') ?? null };
}
