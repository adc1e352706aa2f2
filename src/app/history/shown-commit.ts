import type * as contract from '../../contract/answers.ts';
import { mayReadPublish } from '../../domain/access/past.ts';
import { type IsShared, summaryOf } from '../../domain/commit/summary.ts';
import { isShared } from '../../domain/definition/model/shared.ts';
import { isPublish } from '../../domain/definition/release/publish-difference.ts';
import { isDocumentEvent } from '../../domain/document/evolve.ts';
import type { Actor, ProjectEvent } from '../../domain/events.ts';
import { isRecordListEvent } from '../../domain/record/evolve.ts';
import type { AccessKey } from '../../domain/states.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import type { Json } from '../../kernel/json.ts';
import type { AppContext } from '../context.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { ViewReader } from '../ports/readers.ts';
import type { Project } from '../project/project.ts';
import type { ChangedFields } from './changed-fields.ts';
import { type Labels, labelsOf } from './changes.ts';
import { type Managed, managedOf } from './managed.ts';
import { became, firstFields, shownFields } from './shown-fields.ts';

/** Commits as answers show them. */

/** Players, documents and sums of one commit that are listed. */
const LISTED = 50;
/** Fields of a document that are told. */
const FIELDS = 5;
/** Publishes that are read at once, and how often, while the one in force is searched. */
const PUBLISHES = 20;
const PUBLISH_PAGES = 10;

/** `key`: of whoever is told. `commits`: newest first. `changed`: what fields of documents were and became; left out: it is not told. */
export async function shownCommits(
  { views, people }: Pick<AppContext, 'views' | 'people'>,
  past: Past,
  project: Project,
  key: AccessKey,
  commits: readonly Commit[],
  changed: ChangedFields = () => undefined,
): Promise<readonly Shown[]> {
  const inForce = new PublishesInForce(views, project.id);
  const shown: Shown[] = [];
  const undoing = await undoingOf(views, project, commits);
  const labels = await labelsOf({ people }, project, [...commits.flatMap(({ events }) => events), ...undoing.values()]);
  const about = { shares: (collection: string) => isShared(project.definitions, collection), labels, changed };
  const managed = await managedOf(past, project, key, commits);
  for (const commit of commits) {
    const { last } = commit;
    const known = { publish: await inForce.at(last), undoing: undoing.get(last), managed: managed.get(last) };
    const { why, ...each } = shownCommit(commit, about, known);
    shown.push(why === undefined || !mayTellWhy(key, commit) ? each : { ...each, why });
  }
  return shown;
}

/**
 * Why something was published is told as the publish is, and what was said of what is staged as the approvals are. `nextRenewed` is no
 * publish: it goes with a setting.
 */
export function mayTellWhy(key: AccessKey, { events }: Commit): boolean {
  if (!events.some(({ type }) => /^(?:definitions\.(?!nextRenewed)|approval\.|promotion\.)/.test(type))) return true;
  const changes = events.flatMap((event) => (isPublish(event) ? event.data.changes : []));
  return mayReadPublish(
    key,
    changes.map(({ kind }) => kind),
  );
}

type Shown = contract.Commits['commits'][number];

/** The events by which commits are undone, by the last revision of what they undid. */
async function undoingOf(views: ViewReader, project: Project, commits: readonly Commit[]): Promise<ReadonlyMap<number, ProjectEvent>> {
  const undoable = commits.filter(({ events }) => events.some((event) => isDocumentEvent(event) || isRecordListEvent(event)));
  if (undoable.length === 0) return new Map();
  const lasts = undoable.map(({ last }) => last);
  const undone = await views.undone(project.id, lasts);
  const found = await inTurns([...undone], async ([commit, revision]) => {
    const [event] = await project.history(revision, 1);
    return event === undefined ? [] : [[commit, event] as const];
  });
  return new Map(found.flat());
}

/** What all commits of a page are shown with. */
interface About {
  readonly shares: IsShared;
  readonly labels: Labels;
  readonly changed: ChangedFields;
}

/** What is known of one commit besides its events. */
interface Known {
  readonly publish: number | null;
  readonly undoing: ProjectEvent | undefined;
  readonly managed: Managed | undefined;
}

function shownCommit(commit: Commit, { shares, labels, changed }: About, { publish, undoing, managed }: Known): Shown {
  const { first, last, events } = commit;
  const { cause, actor, at, requestId, types, target, players, documents, money, input, why, isRedacted } = summaryOf(events, shares);
  const counts = { players: players.length, documents: documents.length, money: money.length };
  return {
    first,
    revision: last,
    at: new Date(at).toISOString(),
    cause,
    actor: shownActor(actor, labels),
    requestId,
    publish,
    ...(target === null ? {} : { target }),
    events: [...types],
    players: players.slice(0, LISTED),
    documents: documents.slice(0, LISTED).map(({ fields, ...each }) => {
      const differences = changed(commit, each);
      if (differences === undefined) return each;
      return {
        ...each,
        ...(differences === null
          ? firstFields(
              [...fields].map((each) => became(each)),
              FIELDS,
            )
          : shownFields(differences, FIELDS)),
      };
    }),
    money: money.slice(0, LISTED).map(({ delta, ...moved }) => ({ ...moved, delta: delta satisfies Json })),
    ...(managed === undefined ? {} : { managed }),
    ...(Math.max(...Object.values(counts)) > LISTED ? { counts } : {}),
    ...(input === null ? {} : { input: { value: input.value, ...(input.left === 0 ? {} : { left: input.left }) } }),
    ...(why === null ? {} : { why }),
    ...(undoing === undefined ? {} : { undone: shownUndoing(undoing, labels) }),
    ...(isRedacted ? { redacted: true } : {}),
  };
}

function shownActor(actor: Actor, labels: Labels): Shown['actor'] {
  const label = labels(actor);
  return { ...actor, ...(label === undefined ? {} : { label }) };
}

function shownUndoing({ revision, metadata: { left = 0, actor, recordedAt } }: ProjectEvent, labels: Labels): NonNullable<Shown['undone']> {
  return { revision: revision + left, at: new Date(recordedAt).toISOString(), actor: shownActor(actor, labels) };
}

/** Finds the publishes of live that were in force at revisions which descend. */
class PublishesInForce {
  readonly #views: ViewReader;
  readonly #projectId: string;
  #found: readonly number[] = [];
  /** Below which publishes were not read yet; `null`: there are no more. */
  #before: number | null = null;
  #begun = false;
  #pages = 0;

  constructor(views: ViewReader, projectId: string) {
    this.#views = views;
    this.#projectId = projectId;
  }

  async at(revision: number): Promise<number | null> {
    if (!this.#begun) this.#before = revision + 1;
    this.#begun = true;
    for (;;) {
      const found = this.#found.find((publish) => publish <= revision);
      if (found !== undefined) return found;
      if (this.#before === null || this.#pages === PUBLISH_PAGES) return null;
      this.#pages += 1;
      const page = await this.#views.publishes(this.#projectId, { before: this.#before, limit: PUBLISHES });
      this.#found = page.publishes.filter(({ target }) => target === 'live').map((publish) => publish.revision);
      this.#before = page.next;
    }
  }
}
