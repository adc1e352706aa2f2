import type * as contract from '../../contract/answers.ts';
import type { Need } from '../../contract/credentials.ts';
import { playersIn, ticketIn } from '../../domain/commit/named.ts';
import { summaryOf } from '../../domain/commit/summary.ts';
import type { ProjectEvent } from '../../domain/events.ts';
import type { AccessKey } from '../../domain/states.ts';
import { idSubject, playerSubject, type SubjectKey } from '../../domain/subjects.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { refusal } from '../../kernel/errors.ts';
import { instantOrDate } from '../../kernel/instant.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import { accessAt, hasNeed, requirePermissions, requireStorable } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import { calledOf } from '../called.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';
import { changedFields } from './changed-fields.ts';
import { mayTellWhy, shownCommits } from './shown-commit.ts';
import { mayTouchField, touchesField } from './touched-field.ts';

/** What happened in a project. */
export interface Commits {
  /** Commits that fit, newest first. Throws 400 INVALID_REQUEST, 503 BEHIND, BUSY and PAST_TIMEOUT. */
  list(caller: Caller, query: CommitsQuery): Promise<ManageAnswer<contract.Commits>>;
}

/** `null`: whatever it is. */
interface CommitsQuery {
  readonly player: string | null;
  /** That were done for this ticket, as far as whoever asks is told why. */
  readonly ticket: string | null;
  readonly endpoint: string | null;
  readonly key: string | null;
  /** Several by commas. */
  readonly kind: string | null;
  readonly changed: 'documents' | 'money' | null;
  /** Dotted, of whatever document of the player. */
  readonly field?: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly limit: number;
  readonly before: string | null;
}

export const HISTORY_SCOPE = ['history'];
/** What it takes to be told what fields of documents became. */
export const DOCUMENTS_TOLD: Need = { scopes: ['collections'], level: 'r' };
/** Revisions that one page looks at where no index serves it, and revisions of a player that it takes from the index. */
const LOOKED_AT = 2_000;
const CANDIDATES = 1_000;
/** Events that are read at once. An event may have hundreds of kilobytes. */
const EVENTS = 64;
/** Revisions whose commits are read at a time. */
const READS = 8;
/** Looks that run at a time over all projects, of which one may have half, and those of one project that may wait. */
const SLOTS = 4;
const MAX_WAITING = 32;

/** A part of the log. Both ends belong to it. */
interface Range {
  readonly from: number;
  readonly to: number;
}

interface Found {
  readonly commits: readonly Commit[];
  /** The lowest revision that was looked at; what lies below is not known. */
  readonly searched: number;
}

export function createCommits(context: AppContext, past: Past): Commits {
  const timeout = { ms: context.limits.commandMs, scheduler: context.scheduler };
  const looks = new Bulkhead({ slots: SLOTS, queue: MAX_WAITING, timeout });
  return {
    async list(caller, query) {
      const project = await projectOf(context, caller);
      const { key } = accessAt(project, caller, 'live');
      requirePermissions(key, HISTORY_SCOPE, 'r');
      requireStorable(query.player);
      const { field = null } = query;
      // Whether a field was changed tells of the document.
      if (field !== null) requirePermissions(key, DOCUMENTS_TOLD.scopes, DOCUMENTS_TOLD.level);
      const { head } = project.set;
      const range = await rangeOf(past, project, query, head);
      const reached = await viewsReached(context, project, 'publishes', head);
      const fits = filterOf(query, key);
      const subject = subjectOf(query);
      const search = () =>
        subject === null
          ? lookThrough(context, past, project, range, fits, query.limit)
          : lookUp(context, past, project, subject, range, fits, query.limit);
      const { commits: found, searched } = await looks.run(project.id, search, { onReject: busy });
      const changed = hasNeed(key, DOCUMENTS_TOLD) ? await changedFields(context, past, project, found, query.player) : undefined;
      const commits = field === null || changed === undefined ? found : found.filter((commit) => touchesField(commit, field, changed));
      const shown = await shownCommits(context, past, project, key, commits, changed);
      const called = await calledOf(
        context,
        project.id,
        key,
        shown.flatMap(({ actor, players }) => [actor.player, ...players]),
      );
      const before = searched > range.from ? searched : null;
      return { ...positioned(context, project, caller, reached), result: { ok: true, commits: [...shown], ...called, searched, before } };
    },
  };
}

type Fits = (commit: Commit) => boolean;

/** What the index of subjects has of what is asked for: of both, the ticket is named in less. `null`: nothing. */
function subjectOf({ player, ticket }: CommitsQuery): SubjectKey | null {
  if (ticket !== null) return idSubject(ticket);
  return player === null ? null : playerSubject(player);
}

function filterOf({ endpoint, key, kind, changed, player, ticket, field = null }: CommitsQuery, asker: AccessKey): Fits {
  const kinds = kind?.split(',').map((each) => each.trim()) ?? null;
  return (commit) => {
    const { events } = commit;
    if (ticket !== null && !isForTicket(commit, ticket, asker)) return false;
    if (ticket !== null && player !== null && !summaryOf(events).players.includes(player)) return false;
    const metadata = events.at(-1)?.metadata;
    if (metadata === undefined) return false;
    if (endpoint !== null && metadata.actor.endpoint !== endpoint) return false;
    if (key !== null && (metadata.actor.keyId ?? metadata.actor.person) !== key) return false;
    if (kinds !== null && !kinds.some((each) => metadata.cause === each || metadata.cause.startsWith(`${each}.`))) return false;
    if (field !== null && !events.some((event) => mayTouchField(event, field, player))) return false;
    return changed === null || events.some((event) => CHANGING[changed](event, player));
  };
}

/** Whether it was done for a ticket, as far as whoever asks is told why. */
export function isForTicket(commit: Commit, ticket: string, asker: AccessKey): boolean {
  return commit.events.some((event) => ticketIn(event) === ticket) && mayTellWhy(asker, commit);
}

/** Whether an event changed what one has. `player`: of this player; `null`: of anybody. */
const CHANGING: Readonly<Record<'documents' | 'money', (event: ProjectEvent, player: string | null) => boolean>> = {
  documents: (event, player) => /^(?:document|record)\./.test(event.type) && (player === null || playersIn(event).includes(player)),
  money: ({ type, data }, player) =>
    type === 'ledger.posted' &&
    data.postings.some((posting) => posting.entries.length > 0 && (player === null || posting.player === player)),
};

async function rangeOf(past: Past, project: Project, { from, to, before }: CommitsQuery, head: number): Promise<Range> {
  const cursor = revisionCursor(before, 'before');
  const last = to === null ? head : await lastUpTo(past, project, to, 'to');
  const first = from === null ? 0 : await firstFrom(past, project, from);
  return { from: first, to: Math.min(head, last, cursor === null ? head : cursor - 1) };
}

/** The last revision that is not after a revision or time. */
async function lastUpTo(past: Past, project: Project, text: string, name: string): Promise<number> {
  return WHOLE.test(text) ? Number(text) : past.revisionAt(project, timeOf(text, name));
}

async function firstFrom(past: Past, project: Project, text: string): Promise<number> {
  return WHOLE.test(text) ? Number(text) : (await past.revisionAt(project, timeOf(text, 'from') - 1)) + 1;
}

const WHOLE = /^\d{1,15}$/;

/** The time of a bound, unix ms: of a revision that of its commit; `null`: the log does not reach so far. Throws 400 INVALID_REQUEST. */
export async function timeOfBound(past: Past, project: Project, text: string, name: string): Promise<number | null> {
  if (!WHOLE.test(text)) return timeOf(text, name);
  return Number(text) > project.set.head ? null : ((await past.commitEnd(project, Number(text)))?.at ?? null);
}

function timeOf(text: string, name: string): number {
  const time = instantOrDate(text);
  if (time !== null) return time;
  throw refusal(
    'INVALID_REQUEST',
    `\`${name}\` must be a revision, such as 1200, or an ISO time with its zone, such as 2026-03-01T12:00:00Z`,
  );
}

/** Commits of a subject that fit, by the index of subjects. */
export async function lookUp(
  { views }: Pick<AppContext, 'views'>,
  past: Past,
  project: Project,
  subject: string,
  range: Range,
  fits: Fits,
  limit: number,
): Promise<Found> {
  const commits: Commit[] = [];
  let searched = range.to + 1;
  for (let looked = 0; commits.length < limit; ) {
    const most = Math.min(CANDIDATES - looked, 2 * (limit - commits.length) + READS);
    const revisions = most <= 0 ? [] : await views.revisions(project.id, subject, { before: searched, limit: most });
    if (revisions.length === 0) return { commits, searched: most <= 0 ? searched : range.from };
    looked += revisions.length;
    for (let index = 0; index < revisions.length; index += READS) {
      const known = searched;
      const some = revisions.slice(index, index + READS).filter((revision) => revision < known);
      for (const commit of await commitsOf(past, project, some)) {
        if (commit === null || commit.last >= searched) continue;
        if (commit.last < range.from) return { commits, searched: range.from };
        searched = commit.first;
        if (fits(commit)) commits.push(commit);
        if (commits.length === limit) return { commits, searched };
      }
    }
    searched = Math.min(searched, revisions.at(-1) ?? searched);
  }
  return { commits, searched };
}

/** The commits of these revisions, which descend. A commit is read once, however many of them lie in it. */
async function commitsOf(past: Past, project: Project, revisions: readonly number[]): Promise<readonly (Commit | null)[]> {
  const ends = await Promise.all(revisions.map((revision) => past.commitEnd(project, revision)));
  const lowest = new Map(ends.map((end, index) => [end?.revision ?? null, revisions[index]]));
  return Promise.all([...lowest].map(([end, known]) => (end === null ? null : past.commitAt(project, end, known))));
}

/** Commits that fit among the newest revisions of a range. */
async function lookThrough(
  { roundRobin, scheduler, limits }: AppContext,
  past: Past,
  project: Project,
  range: Range,
  fits: Fits,
  limit: number,
): Promise<Found> {
  const pause = roundRobin.sharing(project.id);
  const until = scheduler.monotonic() + limits.commandMs;
  const lowest = Math.max(range.from, range.to - LOOKED_AT + 1);
  const commits: Commit[] = [];
  let searched = range.to + 1;
  while (searched > lowest && commits.length < limit) {
    if (scheduler.monotonic() > until) throw refusal('PAST_TIMEOUT');
    const from = Math.max(0, searched - EVENTS);
    const events = await project.history(from, searched - from, pause);
    const whole = wholeCommits(events, from);
    // A commit that is longer than the page is read by itself.
    const page = whole.length > 0 ? whole : [await past.commitAt(project, searched - 1)];
    for (const commit of page) {
      if (commit === null) return { commits, searched: range.from };
      if (commit.last < range.from) return { commits, searched: range.from };
      searched = commit.first;
      if (fits(commit)) commits.push(commit);
      if (commits.length === limit) break;
    }
  }
  return { commits, searched: Math.max(searched, range.from) };
}

/** The commits that lie in these consecutive events as a whole, newest first. */
function wholeCommits(events: readonly ProjectEvent[], from: number): readonly Commit[] {
  const commits: Commit[] = [];
  let gathering: ProjectEvent[] | null = from === 0 ? [] : null;
  for (const event of events) {
    gathering?.push(event);
    if (event.metadata.left !== undefined) continue;
    const first = gathering?.[0];
    if (gathering !== null && first !== undefined) commits.push({ first: first.revision, last: event.revision, events: gathering });
    gathering = [];
  }
  return commits.toReversed();
}

function busy(): Error {
  return refusal('BUSY', 'Too many looks through the commits of this project wait for each other; try again shortly');
}
