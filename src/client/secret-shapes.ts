import type { ClientOptions } from './options.ts';

/** What secrets look like that must not leave for anywhere but the server. */

/** The beginning of the secret of a guest's device. */
export const GUEST_PREFIX = 'ns_guest_';

/** Whether a token is the secret of a guest's device, which must never leave it except to the server. */
export function isGuestSecret(token: string): boolean {
  return token.startsWith(GUEST_PREFIX);
}

/** The secret key of the options, also one that was given as the public key by mistake; '' if there is none. */
export function secretOf({ secretKey, publicKey = '' }: Pick<ClientOptions, 'secretKey' | 'publicKey'>): string {
  // An installation chooses how its keys begin.
  return secretKey || (/^(?:[a-z0-9]+_)?sk_|sk_[A-Za-z0-9]{48}$/.test(publicKey) ? publicKey : '');
}
