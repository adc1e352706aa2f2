import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Check, failed, verifiedUntil } from './check.ts';

/**
 * Tokens of a studio's own login: `{expires}.{signature}`. `expires` is in unix seconds; the signature is HMAC-SHA256 over
 * `{platformId}:{expires}` in hex. `now` returns unix ms.
 */
export function hmacCheck(secret: string, now: () => number): Check {
  return ({ platformId, token }) => {
    const [, expires = '', signature = ''] = TOKEN.exec(token) ?? [];
    if (signature === '') return failed('rejected', 'The token has another form than `{expires}.{signature}`');
    const expected = createHmac('sha256', secret).update(`${platformId}:${expires}`).digest();
    if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return failed('rejected', 'The token was not made for this player');
    if (Number(expires) * 1000 <= now()) return failed('rejected', 'The token has expired');
    return verifiedUntil(Number(expires) * 1000);
  };
}

const TOKEN = /^([0-9]{1,12})\.([0-9a-fA-F]{64})$/;
