/** Secret keys and secrets of guests' devices. Inside a word nothing is one: `task_list` is a name. */
const SECRET = /(?<![A-Za-z0-9])(sk_|ns_guest_)[A-Za-z0-9_-]+/g;

/** A text without the secrets that clients put into paths, names and messages by mistake. They must not reach a log. */
export function masked(text: string): string {
  return text.replace(SECRET, '$1***');
}
