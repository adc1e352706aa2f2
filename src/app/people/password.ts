import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** Passwords as scrypt hashes, each with its own salt and with what it was made by: `scrypt:N:r:p:salt:hash`. */

export const MIN_PASSWORD = 12;

const COST = { N: 32_768, r: 8, p: 1 } as const;
const LENGTH = 32;
const MAX_BYTES = 64 * 1024 * 1024;

/** A hash of a new password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derived(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join(':');
}

/** Whether this is the password of a hash; `null`: there is none, which takes as long to say. */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  const [, cost, block, parallel, salt = '', hash = ''] = (kept ?? '').split(':');
  const known = kept !== null;
  const options = known ? { N: Number(cost), r: Number(block), p: Number(parallel) } : COST;
  const made = await derived(password, Buffer.from(salt, 'base64url'), options);
  const expected = Buffer.from(hash, 'base64url');
  return known && expected.length === made.length && timingSafeEqual(made, expected);
}

function derived(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One form of each letter, however a keyboard writes it.
    scrypt(password.normalize('NFKC'), salt, LENGTH, { ...options, maxmem: MAX_BYTES }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
