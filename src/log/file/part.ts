import { hash as digest } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32, deflateRaw, gunzip } from 'node:zlib';
import type { NewEvent } from '../port.ts';

/**
 * A log in a file: gzip of lines of JSON, in parts. Each part is a gzip member of its own, so `zcat` reads the whole file and a part
 * is appended without touching what lies there. The lines of a part:
 *
 *   {"format":"savepoint-log","version":1,"createdAt":…,"part":1,"first":1,"previous":""}     first: which event of the file comes next
 *   {"stream":…,"revision":…,"id":…,"type":…,"metadata":"…","data":"…"}                      both texts as strings: their exact bytes
 *   {"events":…,"sha256":…,"complete":…}
 *
 * The hash covers the lines before it; `previous` is the hash of the part before, so a part that is missing shows. `complete` says that
 * the source held no more: a copy that broke off between two parts shows, too. The member's size and a checksum of its packed bytes lie
 * in an extra field of its gzip header ("SP"): parts are found without unpacking, a torn one is known by its size, and a changed bit
 * shows even where unpacking ignores it (deflate pads its last byte).
 */

export interface FileEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
}

export interface Part {
  readonly part: number;
  /** Number of its first event in the file, from 1; of the next event if it holds none. */
  readonly first: number;
  readonly previous: string;
  readonly sha256: string;
  readonly complete: boolean;
  readonly events: readonly FileEvent[];
}

export interface NewPart {
  readonly part: number;
  readonly first: number;
  readonly previous: string;
  readonly complete: boolean;
  /** Each without a line break: {@link eventLine}. */
  readonly lines: readonly string[];
}

/** A member that does not match its checksum or cannot be unpacked: the disk has only a part of it, or other bytes. */
export class DamagedPart extends Error {
  override readonly name = 'DamagedPart';
}

/** A sound member with content that this release does not write. */
export class ForeignPart extends Error {
  override readonly name = 'ForeignPart';
}

/** Bytes of a member before its compressed data. */
export const HEADER_BYTES = 24;
/** A member's first bytes, up to its size: gzip, deflate, one extra field "SP" of eight bytes. */
export const MAGIC = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 12, 0, 0x53, 0x50, 8, 0]);
/** Behind the size: CRC-32 of what follows the header. */
const CHECKSUM_AT = MAGIC.length + 4;
const FOOTER_BYTES = 8;
const FORMAT = 'savepoint-log';
const VERSION = 1;
/** A part is closed after a few MiB, but a single event may be large. */
const MAX_PART_BYTES = 512 * 1024 * 1024;

const deflate = promisify(deflateRaw);
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** An event as its line in a part, without a line break. */
export function eventLine({ stream, revision, id, type, metadata, data }: FileEvent): string {
  return JSON.stringify({ stream, revision, id, type, metadata, data });
}

/** The part as a gzip member, and the hash that the next part links to. */
export async function encodePart({ part, first, previous, complete, lines }: NewPart, now: Date) {
  const header = JSON.stringify({ format: FORMAT, version: VERSION, createdAt: now.toISOString(), part, first, previous });
  const body = [header, ...lines, ''].join('\n');
  const sha256 = digest('sha256', body);
  const text = Buffer.from(`${body}${JSON.stringify({ events: lines.length, sha256, complete })}\n`);
  const packed = await deflate(text);
  const member = Buffer.alloc(HEADER_BYTES + packed.length + FOOTER_BYTES);
  MAGIC.copy(member);
  member.writeUInt32LE(member.length, MAGIC.length);
  packed.copy(member, HEADER_BYTES);
  member.writeUInt32LE(crc32(text), member.length - FOOTER_BYTES);
  member.writeUInt32LE(text.length, member.length - 4);
  member.writeUInt32LE(crc32(member.subarray(HEADER_BYTES)), CHECKSUM_AT);
  return { member, sha256 };
}

/** Size in bytes of the member that begins with these bytes; `null`: no part begins so. Needs {@link HEADER_BYTES} of them. */
export function memberSize(header: Buffer): number | null {
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const size = header.readUInt32LE(MAGIC.length);
  return size >= HEADER_BYTES + FOOTER_BYTES ? size : null;
}

/** Unpacks and checks a part. Throws {@link DamagedPart} and {@link ForeignPart}. */
export async function decodePart(member: Buffer): Promise<Part> {
  const text = await unpacked(member);
  const end = text.lastIndexOf('\n', text.length - 2);
  const body = text.slice(0, end + 1);
  const [head = '', ...lines] = body.slice(0, -1).split('\n');
  const header = parsedLine(head);
  if (header['format'] !== FORMAT) throw new ForeignPart('it is no copy of a savepoint log');
  if (header['version'] !== VERSION) throw new ForeignPart(`its format has version ${header['version']}; this release knows ${VERSION}`);
  const trailer = parsedLine(text.slice(end + 1));
  if (trailer['sha256'] !== digest('sha256', body) || trailer['events'] !== lines.length)
    throw new ForeignPart('it does not match its hash');
  return {
    part: Number(header['part']),
    first: Number(header['first']),
    previous: String(header['previous']),
    sha256: trailer['sha256'],
    complete: trailer['complete'] === true,
    events: lines.map(parsedEvent),
  };
}

async function unpacked(member: Buffer): Promise<string> {
  if (crc32(member.subarray(HEADER_BYTES)) !== member.readUInt32LE(CHECKSUM_AT)) throw new DamagedPart('its checksum does not match');
  try {
    return (await unpack(member, { maxOutputLength: MAX_PART_BYTES })).toString('utf8');
  } catch (error) {
    throw new DamagedPart('it cannot be unpacked', { cause: error });
  }
}

/** Types are asserted here and not checked: the hash of the part says that these lines are what was written. */
function parsedLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    throw new ForeignPart('a line of it is no JSON', { cause: error });
  }
}

function parsedEvent(line: string): FileEvent {
  return parsedLine(line) as unknown as FileEvent;
}
