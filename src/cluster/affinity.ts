/**
 * Chooses the process that a connection goes to. All requests of a project should meet in one process, because there its commits are
 * grouped and its documents are in memory. Any other choice is also correct, only slower. So it is enough to look at the first request
 * line.
 */

/** Matches `/v3/<family>/<project>`, `/v1/…`, `/api/…` and `/pages/<project>` after the method. */
const PROJECT = /^[A-Z]{1,16} \/(?:(?:v\d+|api)\/[^/ ?]+|pages)\/([A-Za-z0-9_-]{1,128})[/ ?]/i;
/** If the project is not within so many bytes, the connection counts as one without a project. */
const MAX_BYTES = 1024;

/** The project in the first bytes of a connection; `none`: there is none; `more`: more bytes are needed. */
export type PeekResult = { readonly project: string } | 'none' | 'more';

/** Looks for the project in the first bytes of a connection. */
export function peekProject(head: Buffer): PeekResult {
  const text = head.toString('latin1', 0, MAX_BYTES);
  const [, project] = PROJECT.exec(text) ?? [];
  if (project !== undefined) return { project };
  return head.length >= MAX_BYTES || text.includes('\n') ? 'none' : 'more';
}

/** The member that a key belongs to (rendezvous hashing), among the given ones. When a member goes, only its own keys move. */
export function memberFor(key: string, members: readonly number[]): number | undefined {
  let best: number | undefined;
  let most = -1;
  for (const member of members) {
    const weight = hash(`${member}/${key}`);
    if (weight <= most) continue;
    most = weight;
    best = member;
  }
  return best;
}

/** FNV-1a with extra mixing at the end, so that neighbouring members do not get neighbouring weights. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35);
  return (sum ^ (sum >>> 16)) >>> 0;
}
