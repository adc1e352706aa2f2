/** Server-sent events of an answer that goes on. */

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string | null;
}

/** Hears each event until the answer ends. `alive` is called for whatever comes, comments too. Throws if the connection breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, alive: () => void, hear: (event: ServerEvent) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) hear(eventOf(block));
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
