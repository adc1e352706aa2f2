/** Secret keys and secrets of guests' devices. A match must begin a word: `task_list` is not a secret. */
const SECRET = /(?<![A-Za-z0-9])(sk_|ns_guest_)[A-Za-z0-9_-]+/g;

/** Masks secrets, which clients put into paths, names and messages by mistake. They must not be logged. */
export function maskSecrets(text: string): string {
  return text.replace(SECRET, '$1***');
}
