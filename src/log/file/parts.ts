import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isOtherThanFile } from '../../kernel/regular-file.ts';
import { DamagedPart, decodePart, ForeignPart, HEADER_BYTES, MAGIC, memberSize, type Part } from './part.ts';

/** The file is no copy of a log, or it was damaged elsewhere than at its end. It is left as it is. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

const FLAGS = { read: constants.O_RDONLY, written: constants.O_RDWR | constants.O_CREAT };

/** Opens a copy to be read, or written: it is made, readable by its owner alone, where there is nothing. Throws {@link FileProblem}. */
export async function openCopy(path: string, to: keyof typeof FLAGS): Promise<FileHandle> {
  if (await isOtherThanFile(path))
    throw new FileProblem(`${path} is no regular file: a copy is read and written at more than one place of it. Name a file on a disk.`);
  try {
    return await open(path, FLAGS[to], 0o600);
  } catch (error) {
    throw new FileProblem(`${path} cannot be ${to}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

export interface WholePart {
  readonly part: Part;
  /** Where it ends in the file, in bytes. */
  readonly end: number;
}

/** What follows the last whole part: nothing, or a part that was being written when its writer died. */
export interface Tail {
  readonly end: number;
  readonly tornBytes: number;
}

/**
 * The whole parts of a file, one in memory at a time, each checked by itself and against the one before. Returns what follows them. Throws
 * {@link FileProblem} for what an interrupted writer cannot have left.
 */
export async function* readParts(file: FileHandle, path: string): AsyncGenerator<WholePart, Tail> {
  const { size } = await file.stat();
  let at = 0;
  let before: Part | null = null;
  while (at < size) {
    const header = await bytesAt(file, at, Math.min(HEADER_BYTES, size - at));
    const length = header.length < HEADER_BYTES ? null : memberSize(header);
    if (length === null && !(await isTorn(file, at, size, header))) throw notAPart(path, at);
    if (length === null || at + length > size) {
      if (await hasMagic(file, at + 1, size)) throw new FileProblem(`${path} is damaged at byte ${at}. Use another copy.`);
      return { end: at, tornBytes: size - at };
    }
    const part = await decodeAt(file, path, at, length, at + length === size);
    if (part === null) return { end: at, tornBytes: size - at };
    requireNext(path, before, part);
    at += length;
    yield { part, end: at };
    before = part;
  }
  return { end: at, tornBytes: 0 };
}

/** `null`: it is the last part of the file, and not all of it reached the disk. */
async function decodeAt(file: FileHandle, path: string, at: number, length: number, isLast: boolean): Promise<Part | null> {
  try {
    return await decodePart(await bytesAt(file, at, length));
  } catch (error) {
    if (!(error instanceof DamagedPart || error instanceof ForeignPart)) throw error;
    // At the very beginning it may be anybody's file, and such a file is never cut off.
    if (error instanceof DamagedPart && isLast && at > 0) return null;
    throw new FileProblem(`${path} is damaged at byte ${at}: ${error.message}. Use another copy.`, { cause: error });
  }
}

function requireNext(path: string, before: Part | null, part: Part): void {
  const [number, first, previous] = before ? [before.part + 1, before.first + before.events.length, before.sha256] : [1, 1, ''];
  if (part.part === number && part.first === first && part.previous === previous) return;
  throw new FileProblem(`${path} is damaged: part ${part.part} does not follow part ${number - 1}. Use another copy.`);
}

/**
 * Whether these bytes can be the beginning of a part that was cut off. After a whole part they may also be zeros, which a crash leaves for
 * bytes that were not yet written.
 */
async function isTorn(file: FileHandle, at: number, size: number, header: Buffer): Promise<boolean> {
  if (header.length < HEADER_BYTES && header.subarray(0, MAGIC.length).equals(MAGIC.subarray(0, header.length))) return true;
  if (at === 0) return false;
  for (let from = at; from < size; from += CHUNK) {
    const chunk = await bytesAt(file, from, Math.min(CHUNK, size - from));
    if (chunk.some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** Whether a part begins in this range. If so, what lies before it was damaged later, because a writer writes nothing after a torn part. */
async function hasMagic(file: FileHandle, from: number, size: number): Promise<boolean> {
  for (let at = from; at < size; at += CHUNK) {
    const chunk = await bytesAt(file, at, Math.min(CHUNK + MAGIC.length, size - at));
    if (chunk.includes(MAGIC)) return true;
  }
  return false;
}

const CHUNK = 1024 * 1024;

function notAPart(path: string, at: number): FileProblem {
  if (at === 0) return new FileProblem(`${path} is not a file that \`savepoint log copy\` wrote. It was left as it is.`);
  return new FileProblem(`${path} is damaged at byte ${at}: no part begins there. Use another copy.`);
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, at + read);
    if (bytesRead === 0) return buffer.subarray(0, read);
    read += bytesRead;
  }
  return buffer;
}
