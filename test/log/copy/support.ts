import { randomUUID } from 'node:crypto';
import { NO_HASH, seal } from '../../../src/log/chain.ts';
import { type CopyOptions, copyLog } from '../../../src/log/copy/copy.ts';
import type { CopySource } from '../../../src/log/copy/ends.ts';
import { logSource, logTarget } from '../../../src/log/copy/log-ends.ts';
import type { Log, NewEvent, RecordedEvent } from '../../../src/log/port.ts';

export const DENSE = { hasDensePositions: true };

/** Texts that parsing and printing would change: numbers beyond doubles, order of keys, spaces, escapes, line breaks between members. */
export const HARD_TEXTS = [
  '{"id":76561198000000001,"n":1.10,"e":1E400,"z":1,"a":2,"10":3,"9":4}',
  '{ "spaced" :\t[ 1 ,2 ] }',
  '{"a":"\\u00e9é😀\\ud83d\\ude00\\u2028 \\n","long":"\u2028\u2029"}',
  '{"deep":{"$n":"18446744073709551615"},\n"lines":true}',
] as const;

/** Writes sealed events to the streams of projects, and remembers the end of each stream. */
export class Writer {
  readonly #log: Log;
  readonly #ends = new Map<string, { revision: number; hash: string }>();

  constructor(log: Log) {
    this.#log = log;
  }

  async write(stream: string, ...datas: readonly string[]): Promise<void> {
    const end = this.#ends.get(stream) ?? { revision: -1, hash: NO_HASH };
    const events = datas.map((data): NewEvent => {
      const metadata = JSON.stringify({ commandId: randomUUID(), note: 'ü' });
      const sealed = seal(end.hash, { id: randomUUID(), type: 'document.written', metadata, data });
      end.hash = sealed.hash;
      return sealed.event;
    });
    const result = await this.#log.append(stream, end.revision < 0 ? 'none' : end.revision, events);
    if (!result.ok) throw new Error(`conflict at ${result.actual}`);
    end.revision = result.revision;
    this.#ends.set(stream, end);
  }

  /** Another program wrote an event to the stream. */
  passOver(stream: string): void {
    const end = this.#ends.get(stream);
    if (end) end.revision += 1;
  }
}

/** Several projects whose events are mixed in the log, and streams that are not the product's. */
export async function fill(log: Log, rounds = 10): Promise<Writer> {
  const writer = new Writer(log);
  for (let i = 0; i < rounds; i++) {
    await writer.write('project-a', ...HARD_TEXTS, `{"i":${i}}`);
    await writer.write(`project-${'bcd'[i % 3]}`, `{"i":${i}}`);
    await writer.write('access-a', `{"session":${i}}`);
    const heartbeat = { id: randomUUID(), type: 'heartbeat.received', metadata: '{"at":1}', data: `{"i":${i}}` };
    await log.append('telemetry-a', 'any', [heartbeat]);
  }
  return writer;
}

export const EVENTS_OF_A_ROUND = 8;

export async function everything(source: CopySource): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const step of source.steps(null, new AbortController().signal)) {
    events.push(...step.events);
    if (step.caughtUp) break;
  }
  return events;
}

export function allOf(log: Log): Promise<readonly RecordedEvent[]> {
  return everything(logSource(log, DENSE));
}

export function copy(options: Pick<CopyOptions, 'source' | 'target'> & Partial<CopyOptions>) {
  return copyLog({ signal: new AbortController().signal, retry: { pauseMs: 1, timeoutMs: 10_000 }, ...options });
}

export function copyLogs(from: Log, to: Log, options: Partial<CopyOptions> = {}) {
  return copy({ source: logSource(from, DENSE), target: logTarget(to, DENSE), ...options });
}
