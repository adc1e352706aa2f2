import type * as contract from '../../contract/answers.ts';
import { type IsShared, summaryOf } from '../../domain/commit/summary.ts';
import { isShared } from '../../domain/definition/model/shared.ts';
import type { Json } from '../../kernel/json.ts';
import { isLargerThan } from '../../kernel/json-size.ts';
import type { AppContext } from '../context.ts';
import type { Commit } from '../past/commits.ts';
import type { ViewReader } from '../ports/readers.ts';
import type { Project } from '../project/project.ts';
import { type Labels, labelsOf } from './changes.ts';

/** Commits as answers show them. */

/** Players, documents and sums of one commit that are listed. */
const LISTED = 50;
/** Fields of a document that are told, and how long a value may be. */
const FIELDS = 5;
const FIELD_BYTES = 80;
/** Publishes that are read at once, and how often, while the one in force is searched. */
const PUBLISHES = 20;
const PUBLISH_PAGES = 10;

/** `commits`: newest first. `of`: the player of whose documents it is told what their fields became. */
export async function shownCommits(
  { views, people }: Pick<AppContext, 'views' | 'people'>,
  project: Project,
  commits: readonly Commit[],
  of: string | null = null,
): Promise<readonly contract.Commits['commits'][number][]> {
  const inForce = new PublishesInForce(views, project.id);
  const shown: contract.Commits['commits'][number][] = [];
  const labels = await labelsOf(
    { people },
    project,
    commits.flatMap(({ events }) => events),
  );
  const shares: IsShared = (collection) => isShared(project.definitions, collection);
  for (const commit of commits) shown.push(shownCommit(commit, shares, labels, await inForce.at(commit.last), of));
  return shown;
}

type Shown = contract.Commits['commits'][number];

function shownCommit({ first, last, events }: Commit, shares: IsShared, labels: Labels, publish: number | null, of: string | null): Shown {
  const { cause, actor, at, requestId, types, target, players, documents, money, input, why, isRedacted } = summaryOf(events, shares);
  const label = labels(actor);
  const counts = { players: players.length, documents: documents.length, money: money.length };
  return {
    first,
    revision: last,
    at: new Date(at).toISOString(),
    cause,
    actor: { ...actor, ...(label === undefined ? {} : { label }) },
    requestId,
    publish,
    ...(target === null ? {} : { target }),
    events: [...types],
    players: players.slice(0, LISTED),
    documents: documents.slice(0, LISTED).map(({ fields, ...each }) => ({ ...each, ...(each.key === of ? shownFields(fields) : {}) })),
    money: money.slice(0, LISTED).map(({ delta, ...moved }) => ({ ...moved, delta: delta satisfies Json })),
    ...(Math.max(...Object.values(counts)) > LISTED ? { counts } : {}),
    ...(input === null ? {} : { input: { value: input.value, ...(input.left === 0 ? {} : { left: input.left }) } }),
    ...(why === null ? {} : { why }),
    ...(isRedacted ? { redacted: true } : {}),
  };
}

/** The first fields, with what they became where that is short. */
function shownFields(fields: ReadonlyMap<string, Json>): Pick<Shown['documents'][number], 'fields' | 'more'> {
  if (fields.size === 0) return {};
  const told = [...fields].slice(0, FIELDS).map(([path, value]) => (isLargerThan(value, FIELD_BYTES) ? { path } : { path, value }));
  return { fields: told, ...(fields.size > FIELDS ? { more: fields.size - FIELDS } : {}) };
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
