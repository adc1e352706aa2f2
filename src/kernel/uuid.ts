import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/**
 * UUIDs of version 5: the same name gives the same id. Made by hand because one is made for every event that is written: the library
 * takes three times as long, most of it for turning texts into bytes. The test holds the two together.
 */

/** A name space for {@link uuidV5}, from the text of any UUID. */
export function uuidSpace(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Space and name side by side, hashed at once; longer names get a buffer of their own. */
const scratch = Buffer.alloc(512);

/** `name` is taken as UTF-8. */
export function uuidV5(space: Buffer, name: string): string {
  const buffer = space.length + name.length * 3 <= scratch.length ? scratch : Buffer.alloc(space.length + name.length * 3);
  const end = space.copy(buffer) + buffer.write(name, space.length);
  const digest = hash('sha1', buffer.subarray(0, end), 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
