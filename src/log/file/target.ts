import type { FileHandle } from 'node:fs/promises';
import { type CopyTarget, type Stored, storedOf } from '../copy/ends.ts';
import type { AppendResult, NewEvent } from '../port.ts';
import { encodePart, eventLine, type Part } from './part.ts';
import { FileProblem, openCopy, readParts } from './parts.ts';
import { recorded } from './source.ts';

export interface FileTargetOptions {
  /** Characters of lines in one part; this much is kept in memory. Default 4 Mi. */
  readonly partSize?: number;
}

export interface FileTarget extends CopyTarget {
  /** Bytes of a torn part that were cut off. The copy goes on after the last whole part. */
  readonly cutBytes: number;
  readonly events: number;
  close(): Promise<void>;
}

type End = Stored & { readonly stream: string; readonly position: bigint };

/**
 * Opens a file to copy to. Creates it, readable by its owner alone, where there is none. What it holds is read and checked, and a torn part
 * at its end is cut off. Throws {@link FileProblem} for any other file, and leaves that unchanged.
 */
export async function openFileTarget(path: string, { partSize = 4 * 1024 * 1024 }: FileTargetOptions = {}): Promise<FileTarget> {
  const file = await openCopy(path, 'written');
  try {
    const writer = new FileWriter(file, path, partSize);
    await writer.readAll();
    return writer;
  } catch (error) {
    await file.close();
    throw error;
  }
}

class FileWriter implements FileTarget {
  readonly hasDensePositions = true;
  readonly maxConcurrentAppends = 1;
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #partSize: number;
  readonly #streams = new Map<string, Stored>();
  #end: End | null = null;
  #lastPart: Pick<Part, 'part' | 'sha256' | 'complete'> | null = null;
  #bytes = 0;
  #lines: string[] = [];
  #size = 0;
  /** A part could not be written whole, so nothing may follow it. */
  #failed = false;
  cutBytes = 0;
  /** Events in whole parts, and those gathered for the next one. */
  events = 0;

  constructor(file: FileHandle, path: string, partSize: number) {
    this.#file = file;
    this.#path = path;
    this.#partSize = partSize;
  }

  async readAll(): Promise<void> {
    const parts = readParts(this.#file, this.#path);
    let next = await parts.next();
    for (; !next.done; next = await parts.next()) this.#addPart(next.value.part);
    const { end, tornBytes } = next.value;
    if (tornBytes > 0) await this.#file.truncate(end);
    this.cutBytes = tornBytes;
    this.#bytes = end;
  }

  #addPart(part: Part): void {
    const events = recorded(part);
    const lastOfStreams = new Map(events.map((event) => [event.stream, event]));
    for (const [stream, event] of lastOfStreams) this.#streams.set(stream, storedOf(event));
    const last = events.at(-1);
    if (last) this.#end = { ...storedOf(last), stream: last.stream, position: last.position };
    this.events += events.length;
    this.#lastPart = { part: part.part, sha256: part.sha256, complete: part.complete };
  }

  async end(): Promise<End | null> {
    return this.#end;
  }

  async last(stream: string): Promise<Stored | null> {
    return this.#streams.get(stream) ?? null;
  }

  /** Finds an event among the whole parts. It reads the file from its beginning, so it is for rare use. */
  async find(stream: string, revision: number): Promise<Stored | null> {
    for await (const { part } of readParts(this.#file, this.#path)) {
      const found = recorded(part).find((event) => event.stream === stream && event.revision === revision);
      if (found) return storedOf(found);
    }
    return null;
  }

  async append(stream: string, expected: number | 'none', events: readonly NewEvent[]): Promise<AppendResult> {
    const actual = this.#streams.get(stream)?.revision ?? -1;
    if ((expected === 'none' ? -1 : expected) !== actual) return { ok: false, actual: actual === -1 ? 'none' : actual };
    for (const [index, event] of events.entries()) {
      const revision = actual + 1 + index;
      const line = eventLine({ ...event, stream, revision });
      this.#lines.push(line);
      this.#size += line.length;
      this.events += 1;
      if (index < events.length - 1) continue;
      const stored = storedOf({ ...event, stream, revision, position: BigInt(this.events) });
      this.#streams.set(stream, stored);
      this.#end = { ...stored, stream, position: BigInt(this.events) };
    }
    if (this.#size >= this.#partSize) await this.#write(false);
    return { ok: true, revision: actual + events.length, position: BigInt(this.events) };
  }

  async settle(complete: boolean): Promise<void> {
    if (this.#failed) return;
    if (this.#lines.length === 0 && (!complete || this.#lastPart?.complete)) return;
    await this.#write(complete);
  }

  async #write(complete: boolean): Promise<void> {
    const lines = this.#lines;
    const { size } = await this.#file.stat();
    if (size !== this.#bytes) throw new FileProblem(`${this.#path} was changed by another program while it was copied to`);
    const part = (this.#lastPart?.part ?? 0) + 1;
    const first = this.events - lines.length + 1;
    const { member, sha256 } = await encodePart({ part, first, previous: this.#lastPart?.sha256 ?? '', complete, lines }, new Date());
    this.#failed = true;
    for (let done = 0; done < member.length; ) {
      done += (await this.#file.write(member, done, member.length - done, this.#bytes + done)).bytesWritten;
    }
    await this.#file.datasync();
    this.#failed = false;
    this.#bytes += member.length;
    this.#lastPart = { part, sha256, complete };
    this.#lines = [];
    this.#size = 0;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
