/** Reads server-sent events. */

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

export interface EventReader {
  /** Stops the reading. */
  readonly signal: AbortSignal;
  /** Called whenever data arrives, comments included. */
  onData?(): void;
  /** Called with each event. */
  onEvent(event: ServerEvent): void;
}

/** Bound on the characters of one event, far above what a node sends. */
const MAX_EVENT_CHARACTERS = 67_108_864;

/** Reads events until the answer ends or the signal aborts. Throws if the connection breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, { signal, onData, onEvent }: EventReader): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Node drops the signal of `fetch` once there is a response, so the signal has to cancel the reader.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData?.();
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > MAX_EVENT_CHARACTERS) throw new Error('an event is too long');
      for (const block of blocks) onEvent(eventOf(block));
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
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
