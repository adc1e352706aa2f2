import type { FileHandle } from 'node:fs/promises';
import type { CopySource, CopyStep } from '../copy/ends.ts';
import type { RecordedEvent } from '../port.ts';
import type { Part } from './part.ts';
import { FileProblem, openCopy, readParts, type Tail } from './parts.ts';

export interface FileSource extends CopySource {
  /** Why the file does not hold all that its writer meant to copy; `null`: it does. */
  readonly flaw: string | null;
  close(): Promise<void>;
}

/**
 * Opens a file that `log copy` wrote, to copy from it. The whole file is read and checked first, so that damage does not show up in the
 * middle of a restore. Throws {@link FileProblem}: no such file, not a copy, damaged, or incomplete (unless `allowIncomplete`).
 */
export async function openFileSource(path: string, { allowIncomplete = false } = {}): Promise<FileSource> {
  const file = await openCopy(path, 'read');
  try {
    const flaw = await flawOf(file, path);
    if (flaw !== null && !allowIncomplete) {
      throw new FileProblem(
        `${path}: ${flaw}. If the log that it was copied from is still there, the same \`log copy\` into this file completes it; ` +
          'else take another backup, or add --allow-incomplete to restore what is whole, which is all up to that event.',
      );
    }
    return { hasDensePositions: true, flaw, steps: steps(file, path), find: find(file, path), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads the whole file. */
async function flawOf(file: FileHandle, path: string): Promise<string | null> {
  const parts = readParts(file, path);
  let last: Part | null = null;
  let tail: Tail | null = null;
  while (tail === null) {
    const next = await parts.next();
    if (next.done) tail = next.value;
    else last = next.value.part;
  }
  const events = last ? last.first + last.events.length - 1 : 0;
  if (tail.tornBytes > 0) return `its end is torn: ${events} events are whole, ${tail.tornBytes} bytes behind them are not`;
  if (last === null) return 'it is empty';
  return last.complete ? null : `the copy into it broke off after ${events} events`;
}

const steps = (file: FileHandle, path: string) =>
  async function* (after: bigint | null, signal: AbortSignal): AsyncGenerator<CopyStep> {
    const { size } = await file.stat();
    for await (const { part, end } of readParts(file, path)) {
      if (signal.aborted) return;
      const events = recorded(part).filter(({ position }) => position > (after ?? 0n));
      yield { events, caughtUp: false, fraction: end / size };
    }
    yield { events: [], caughtUp: true, fraction: 1 };
  };

const find = (file: FileHandle, path: string) => async (stream: string, revision: number) => {
  for await (const { part } of readParts(file, path)) {
    const found = recorded(part).find((event) => event.stream === stream && event.revision === revision);
    if (found) return found;
  }
  return null;
};

/** The events of a part. An event's position in a file is its number, from 1. */
export function recorded({ first, events }: Part): readonly RecordedEvent[] {
  return events.map((event, index) => ({ ...event, position: BigInt(first + index) }));
}
