import type { ProjectEvent } from '../../domain/events.ts';
import type { SubjectKey } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import type { AppContext } from '../context.ts';
import type { ViewReader } from '../ports/readers.ts';
import type { Project } from '../project/project.ts';
import type { UnreadEvent } from '../project/unread-event.ts';

/** How long a reader waits for the index of subjects, ms. */
const INDEX_WAIT_MS = 5_000;
/** Revisions asked of the index at once: few at first, because one event is often enough. */
const REVISIONS: readonly number[] = [4, 32];
const MOST_REVISIONS = 128;
/** Reads of the log under way at a time, and events of one read. An event may have hundreds of kilobytes. */
const READS = 8;
const RUN = 16;

/** Until when a reader may go on, by the monotonic clock, and what it throws then. */
export interface Deadline {
  readonly until: number;
  late(): Error;
}

type Context = Pick<AppContext, 'scheduler' | 'roundRobin'> & { readonly views: Pick<ViewReader, 'caughtUp' | 'revisions'> };

/**
 * The revisions of a subject from `from` back, newest first, page by page, by the index of subjects. Some may be of other subjects; whoever
 * reads the events passes over these. Throws 503 BEHIND while the index lags behind `from`.
 */
export async function* revisionsBack(
  { views }: Pick<Context, 'views'>,
  project: Project,
  subject: SubjectKey,
  from: number,
): AsyncGenerator<readonly number[]> {
  if (!(await views.caughtUp(project.id, from, INDEX_WAIT_MS))) throw refusal('BEHIND');
  let before = from + 1;
  for (let page = 0; ; page += 1) {
    const limit = REVISIONS[page] ?? MOST_REVISIONS;
    const revisions = await views.revisions(project.id, subject, { before, limit });
    const last = revisions.at(-1);
    if (last === undefined) return;
    yield revisions;
    before = last;
  }
}

/** The events of a subject from revision `from` back, newest first. Throws as {@link revisionsBack}, and the deadline's own error. */
export async function* eventsBack(
  context: Context,
  project: Project,
  subject: SubjectKey,
  from: number,
  deadline: Deadline,
): AsyncGenerator<ProjectEvent> {
  for await (const event of unreadBack(context, project, subject, from, deadline)) yield event.read();
}

/** {@link eventsBack}, for whoever has to know how large an event is. */
export async function* unreadBack(
  context: Context,
  project: Project,
  subject: SubjectKey,
  from: number,
  deadline: Deadline,
): AsyncGenerator<UnreadEvent> {
  for await (const revisions of revisionsBack(context, project, subject, from)) {
    for await (const events of readRuns(context, project, runsOf(revisions), deadline))
      yield* inTurns(context, project, events.toReversed());
  }
}

/** The events of these revisions, which ascend. Throws the deadline's own error. */
export async function* eventsOf(
  context: Context,
  project: Project,
  revisions: readonly number[],
  deadline: Deadline,
): AsyncGenerator<ProjectEvent> {
  const runs = runsOf(revisions.toReversed()).toReversed();
  for await (const events of readRuns(context, project, runs, deadline))
    for await (const event of inTurns(context, project, events)) yield event.read();
}

/** Each is decoded when it is taken: whoever has found what they look for takes no more, and an event may be large. */
async function* inTurns({ roundRobin }: Context, project: Project, events: readonly UnreadEvent[]): AsyncGenerator<UnreadEvent> {
  const pause = roundRobin.sharing(project.id);
  for (const event of events) {
    const turn = pause();
    if (turn !== null) await turn;
    yield event;
  }
}

/** The events of several streams, each newest first, as one such stream. An event that several of them have comes once. */
export async function* newestFirst(streams: readonly AsyncGenerator<ProjectEvent>[]): AsyncGenerator<ProjectEvent> {
  const next = async (stream: AsyncGenerator<ProjectEvent>) => ({ stream, head: await stream.next() });
  let heads = await Promise.all(streams.map(next));
  for (;;) {
    const newest = heads.reduce<ProjectEvent | null>((found, { head: { done, value } }) => {
      return done || (found !== null && found.revision >= value.revision) ? found : value;
    }, null);
    if (newest === null) return;
    yield newest;
    const taken = heads.map((each) => (each.head.done || each.head.value.revision !== newest.revision ? each : next(each.stream)));
    heads = await Promise.all(taken);
  }
}

/** Reads runs in their order, a few ahead. */
async function* readRuns(
  { scheduler }: Pick<Context, 'scheduler'>,
  project: Project,
  runs: readonly Run[],
  { until, late }: Deadline,
): AsyncGenerator<readonly UnreadEvent[]> {
  for (let first = 0; first < runs.length; first += READS) {
    if (scheduler.monotonic() > until) throw late();
    yield* await Promise.all(runs.slice(first, first + READS).map((run) => project.unread(run.first, run.count)));
  }
}

/** Consecutive revisions. */
interface Run {
  readonly first: number;
  readonly count: number;
}

/** Groups descending revisions into runs without a gap: each run is one read of the log. */
function runsOf(revisions: readonly number[]): readonly Run[] {
  const runs: Run[] = [];
  for (const revision of revisions) {
    const run = runs.at(-1);
    if (run !== undefined && run.first === revision + 1 && run.count < RUN)
      runs[runs.length - 1] = { first: revision, count: run.count + 1 };
    else runs.push({ first: revision, count: 1 });
  }
  return runs;
}
