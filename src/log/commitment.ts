import { Buffer } from 'node:buffer';
import { hash as digest, randomFillSync } from 'node:crypto';

/**
 * What the chain knows of an event's data: a commitment, the SHA-256 of the stored bytes. The data can be replaced by the commitment later,
 * to forget a person, and the chain stays whole. The data end with a random member, so nobody can find short data again by trying.
 */

/** The random member of an event's data. It is no part of what the event says. */
export const SALT = '$salt';
/** The member of an event's data that names the player who caused it. Metadata name no person, because they are never forgotten. */
export const PLAYER = '$player';

/** The member of the data of a commit's first event that holds the id which its caller gave the request. */
export const REQUEST = '$request';

/** Bytes of a salt. */
const SALT_BYTES = 16;
/** Random bits cost most by the call, so many are drawn at once. */
const pool = Buffer.alloc(SALT_BYTES * 256);
let drawn = pool.length;

function newSalt(): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += SALT_BYTES;
  return pool.toString('base64url', drawn - SALT_BYTES, drawn);
}

/** An event's data as they are stored: with the player who caused it, the id of its request, and a salt. `text`: of a JSON object. */
export function committed(text: string, player: string | undefined, requestId?: string): string {
  const open = text === '{}' ? '{' : `${text.slice(0, -1)},`;
  const person = player === undefined ? '' : `"${PLAYER}":${JSON.stringify(player)},`;
  const request = requestId === undefined ? '' : `"${REQUEST}":${JSON.stringify(requestId)},`;
  return `${open}${person}${request}"${SALT}":"${newSalt()}"}`;
}

const REDACTED = /^\{"\$redacted":"([0-9a-f]{64})"\}$/;
const REDACTED_LENGTH = 80;

/** The text that stands for data that were forgotten. Stored data end with a salt, so no other event has this form. */
export function redacted(data: string): string {
  return isRedacted(data) ? data : `{"$redacted":"${digest('sha256', data)}"}`;
}

/** Whether the data of an event were replaced by their commitment. */
export function isRedacted(data: string): boolean {
  return data.length === REDACTED_LENGTH && REDACTED.test(data);
}

/** The commitment to an event's data, in hexadecimal. */
export function commitmentOf(data: string): string {
  const known = data.length === REDACTED_LENGTH ? REDACTED.exec(data) : null;
  return known?.[1] ?? digest('sha256', data);
}
