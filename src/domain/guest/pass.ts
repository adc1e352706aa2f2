/**
 * What proves a guest through a host: a device's secret would make the host the player for good. A pass is for one host, and for minutes. It is
 * stored nowhere: the installation's mark on it says that a proven device asked for it.
 */
export interface GuestPass {
  readonly guest: string;
  /** Id of the device that asked for it: a pass of one that was shut out proves nobody. */
  readonly device: string;
  /** Id of the player who may show it. */
  readonly host: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** How long a pass is good, s. */
export const PASS_SECONDS = 600;

const PASS = /^ns_pass_([0-9a-f]{32})\.([0-9a-f]{16})\.(\d{13})\.([A-Za-z0-9_-]{43})$/;

/** Whether a text has the form of a pass. */
export function isPass(text: string | null): text is string {
  return text !== null && PASS.test(text);
}

/** The text of a pass. `mark`: of {@link markedText}. */
export function formPass({ guest, device, expiresAt }: GuestPass, mark: string): string {
  return `ns_pass_${guest.slice('guest-'.length)}.${device}.${expiresAt}.${mark}`;
}

/** The pass in a text that `host` shows, and the mark that it bears; `null`: there is none. */
export function readPass(text: string, host: string): { readonly pass: GuestPass; readonly mark: string } | null {
  const [, hex, device, expiresAt, mark] = PASS.exec(text) ?? [];
  if (hex === undefined || device === undefined || mark === undefined) return null;
  return { pass: { guest: `guest-${hex}`, device, host, expiresAt: Number(expiresAt) }, mark };
}

/** What the mark is made of. No id of a guest or device, and no number, holds a blank; the host's comes last. */
export function markedText(projectId: string, { guest, device, host, expiresAt }: GuestPass): string {
  return `guest pass ${projectId} ${guest} ${device} ${expiresAt} ${host}`;
}
