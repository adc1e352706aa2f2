import { SavepointError } from './errors.ts';
import { hex } from './ids.ts';

/** WebCrypto and encodings. */

export const utf8 = (text: string) => new TextEncoder().encode(text);

/** Whether there is WebCrypto. A page that was loaded without TLS has none. */
export function hasCrypto(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** Throws `CRYPTO_UNAVAILABLE`. */
export function subtle(): typeof crypto.subtle {
  if (hasCrypto()) return crypto.subtle;
  throw new SavepointError('CRYPTO_UNAVAILABLE', 'This needs WebCrypto, which only pages over HTTPS or from this machine have');
}

export async function sha256(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await subtle().digest('SHA-256', utf8(text)));
}

/** HMAC-SHA256, lower-case hex. */
export async function hmac(key: string, text: string): Promise<string> {
  const secret = await subtle().importKey('raw', utf8(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return hex(new Uint8Array(await subtle().sign('HMAC', secret, utf8(text))));
}

export function base64url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}
