import type { LedgerEntry, ProjectEvent } from '../../domain/events.ts';
import type { Project } from '../project/project.ts';

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

/** Events read back at once in search of a commit's beginning, or of an event of ours: few at first, because most commits are short. */
const FIRST_PAGE = 4;
const PAGE = 64;

/** The commit in which a revision lies; `null`: the log has no such revision. `known`: the lowest revision known to lie in it. */
export async function commitAt(project: Project, revision: number, known = revision): Promise<Commit | null> {
  const events: ProjectEvent[] = [];
  for (let to = revision, size = revision - known + FIRST_PAGE; ; size = Math.min(2 * size, PAGE)) {
    const page = await readBack(project, to, size);
    const last = page.at(-1);
    if (last === undefined || last.revision !== to) return null;
    if (to === revision) events.push(...(await rest(project, last)));
    // Of the events of a commit each says how many follow it.
    const end = events.at(-1)?.revision ?? revision + (last.metadata.left ?? 0);
    const begins = page.findLastIndex(({ metadata, revision: at }) => (metadata.left ?? 0) !== end - at);
    events.unshift(...page.slice(begins + 1));
    to -= page.length;
    if (begins >= 0 || to < 0) return { first: end - events.length + 1, last: end, events };
  }
}

/** What follows an event in its commit. */
function rest(project: Project, { revision, metadata: { left = 0 } }: ProjectEvent): Promise<readonly ProjectEvent[]> {
  return left === 0 ? Promise.resolve([]) : project.history(revision + 1, left);
}

/** The last event of the commit in which a revision lies; `null`: the log has no such revision. */
export async function commitEnd(project: Project, revision: number): Promise<Moment | null> {
  const [event] = await project.history(revision, 1);
  if (event?.revision !== revision) return null;
  // The events of a commit are stored at one time. What another program wrote has no time of ours.
  const at = event.type === 'log.foreign' ? await recordedAt(project, revision) : event.metadata.recordedAt;
  return { revision: revision + (event.metadata.left ?? 0), at };
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
    const ours = (await readBack(project, to, count)).findLast(({ type }) => type !== 'log.foreign');
    if (ours !== undefined) return ours.metadata.recordedAt;
  }
  return Number.NEGATIVE_INFINITY;
}

function readBack(project: Project, to: number, most: number): Promise<readonly ProjectEvent[]> {
  const count = Math.min(most, to + 1);
  return project.history(to - count + 1, count);
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
