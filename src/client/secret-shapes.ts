/** What secrets look like that must not leave for anywhere but the server. */

/** The beginning of the secret of a guest's device. */
export const GUEST_PREFIX = 'ns_guest_';

/** Whether a token is the secret of a guest's device, which must never leave it except to the server. */
export function isGuestSecret(token: string): boolean {
  return token.startsWith(GUEST_PREFIX);
}

/** The secret key that was given as the public one by mistake; else ''. An installation chooses how its keys begin. */
export function secretIn(publicKey: string): string {
  return /^(?:[a-z0-9]+_)?sk_|sk_[A-Za-z0-9]{48}$/.test(publicKey) ? publicKey : '';
}
