/**
 * A guest that plays through a host proves itself to the server with a pass, which it gives the host. With a device's secret the host could
 * act as the player for good; a pass is good for one host, for minutes. Passes are not stored: the HMAC, which only this installation can
 * make, proves that a device of the guest asked for it.
 */
export interface GuestPass {
  readonly guest: string;
  /** Id of the device that asked for it. If the device is revoked, the pass is void. */
  readonly device: string;
  /** Id of the player who may use it. */
  readonly host: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** How long a pass is valid, seconds. */
export const PASS_SECONDS = 600;

const PASS = /^ns_pass_([0-9a-f]{32})\.([0-9a-f]{16})\.(\d{13})\.([A-Za-z0-9_-]{43})$/;

/** Whether a text has the form of a pass. */
export function isPass(text: string | null): text is string {
  return text !== null && PASS.test(text);
}

/** The text of a pass. `hmac`: of {@link authenticatedText}. */
export function formatPass({ guest, device, expiresAt }: GuestPass, hmac: string): string {
  return `ns_pass_${guest.slice('guest-'.length)}.${device}.${expiresAt}.${hmac}`;
}

/** The pass in a text that `host` sent, and its HMAC; `null`: the text is not a pass. */
export function readPass(text: string, host: string): { readonly pass: GuestPass; readonly hmac: string } | null {
  const [, hex, device, expiresAt, hmac] = PASS.exec(text) ?? [];
  if (hex === undefined || device === undefined || hmac === undefined) return null;
  return { pass: { guest: `guest-${hex}`, device, host, expiresAt: Number(expiresAt) }, hmac };
}

/** The text that the HMAC is made of. Ids of guests and devices, and numbers, have no blanks. The host's may, so it comes last. */
export function authenticatedText(projectId: string, { guest, device, host, expiresAt }: GuestPass): string {
  return `guest pass ${projectId} ${guest} ${device} ${expiresAt} ${host}`;
}
