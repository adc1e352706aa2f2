import type { LedgerEntry, ProjectEvent } from '../../domain/events.ts';
import type { Project } from '../project/project.ts';
import type { UnreadEvent } from '../project/unread-event.ts';

/** Commits and times of a project's log. */

/** A moment of a project's past: the last event of a commit. */
export interface Moment {
  readonly revision: number;
  /** When that was stored, unix ms. */
  readonly at: number;
}

/** A whole commit: all events that one decision stored. */
export interface Commit {
  /** Revisions of its first and last event. */
  readonly first: number;
  readonly last: number;
  readonly events: readonly ProjectEvent[];
}

/** Events looked at, back, at once for a commit's beginning, or an event of ours: few at first, as most commits are short. */
const FIRST_PAGE = 2;
const PAGE = 64;

/** The commit in which a revision lies; `null`: the log has no such revision. `known`: the lowest revision known to lie in it. */
export async function commitAt(project: Project, revision: number, known = revision): Promise<Commit | null> {
  const before: UnreadEvent[] = [];
  for (let to = revision, left = 0, size = revision - known + FIRST_PAGE; ; size = Math.min(2 * size, PAGE)) {
    const page = await readBack(project, to, size);
    const last = page.at(-1);
    if (last === undefined || last.revision !== to) return null;
    if (to === revision) left = last.left;
    // Of the events of a commit each says how many follow it.
    const end = revision + left;
    const begins = page.findLastIndex((event) => event.left !== end - event.revision);
    before.unshift(...page.slice(begins + 1));
    to -= page.length;
    if (begins < 0 && to >= 0) continue;
    const after = left === 0 ? [] : await project.history(revision + 1, left);
    // Events of other commits stand on the page, too, and may be large.
    const events = [...before.map((event) => event.read()), ...after];
    return { first: end - events.length + 1, last: end, events };
  }
}

/** The last event of the commit in which a revision lies; `null`: the log has no such revision. */
export async function commitEnd(project: Project, revision: number): Promise<Moment | null> {
  const [event] = await project.unread(revision, 1);
  if (event?.revision !== revision) return null;
  // The events of a commit are stored at one time. What another program wrote has no time of ours.
  return { revision: revision + event.left, at: event.recordedAt ?? (await recordedAt(project, revision)) };
}

/**
 * The last revision that was stored at this time (unix ms) or before; −1: there was none yet. Times never go back within a stream. `end`:
 * the last revision that is looked at.
 */
export async function revisionAt(project: Project, time: number, end: number): Promise<number> {
  let [before, after] = [-1, end + 1];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if ((await recordedAt(project, middle)) <= time) before = middle;
    else after = middle;
  }
  return before;
}

/** When this event was stored. What another program wrote counts as stored together with the event before it: it has no time of ours. */
async function recordedAt(project: Project, revision: number): Promise<number> {
  for (let to = revision, count = 1; to >= 0; to -= count, count = PAGE) {
    const at = (await readBack(project, to, count)).findLast(({ recordedAt: stored }) => stored !== null)?.recordedAt;
    if (at != null) return at;
  }
  return Number.NEGATIVE_INFINITY;
}

function readBack(project: Project, to: number, most: number): Promise<readonly UnreadEvent[]> {
  const count = Math.min(most, to + 1);
  return project.unread(to - count + 1, count);
}

/** What the ledger says of an event of a document: the commit's last event says it. Redacted, it says nothing. */
export async function entriesOf(
  project: Project,
  { revision, metadata: { left } }: ProjectEvent,
): Promise<readonly (LedgerEntry & { readonly eventId: string })[]> {
  if (left === undefined) return [];
  const [posted] = await project.history(revision + left, 1);
  if (posted?.type !== 'ledger.posted') return [];
  const placed = posted.data.postings.flatMap(({ by, entries }) => entries.map((entry) => ({ by, entry })));
  // The first entry has the event's id, the others that id and their place.
  return placed.flatMap(({ by, entry }, place) =>
    by === left ? [{ ...entry, eventId: place === 0 ? posted.id : `${posted.id}.${place}` }] : [],
  );
}
