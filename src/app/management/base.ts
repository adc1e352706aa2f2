import { decidedOn, type PublishSince } from '../../domain/definition/push/conflict.ts';
import type { Decision as Publish } from '../../domain/definition/push/publish-events.ts';
import { allows, STAGED_SCOPES } from '../../domain/project/permissions.ts';
import { keptWhy } from '../../domain/said.ts';
import type { DefinitionsState } from '../../domain/states.ts';
import { DEFINITIONS } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Caller } from '../caller.ts';
import type { PublishContext } from '../context.ts';
import type { PublishRow } from '../ports/publishes.ts';
import type { Project } from '../project/project.ts';
import { DefinitionsChanged, onceUnchanged } from './once-unchanged.ts';

/**
 * The publish that a manager's change is made on: a revision of the log, taken from the position of an earlier answer. If somebody else has
 * published since, the change is refused instead of overwriting theirs. The publishes since are read from the history before the decision.
 * If the decision then sees other definitions than that history ends with, somebody published in between, and the history is read again. So
 * of two managers who publish at once, one is refused.
 */

/** Publishes listed in a conflict, the newest ones. */
const MAX_LISTED = 20;
/** Publishes that one read of the history returns, and the most reads. */
const PAGE = 200;
const MAX_PAGES = 50;
/** Changes listed of each. */
const MAX_CHANGES = 50;
/** How long the history is waited for, ms. */
const HISTORY_WAIT_MS = 5_000;

/** Publishes on a base. `publish` makes the publish, with its decision wrapped by the given function. Throws 409 PUBLISH_CONFLICT. */
export async function onBase<Answer>(
  context: PublishContext,
  project: Project,
  caller: Caller,
  publish: (guard: Guard) => Promise<Answer>,
): Promise<Answer> {
  const base = caller.base ?? null;
  if (base === null) return publish((_, decide) => decide());
  // A publish that another node just made must count.
  await project.refresh();
  return onceUnchanged(async () => {
    const baseState = await baseStateOf(context, project, caller, base);
    return publish((state, decide) => {
      if (!isSame(state, baseState.definitions)) throw new DefinitionsChanged();
      return decidedOn(baseState.since, decide);
    });
  });
}

/** Decides if nobody has published since the base. Throws the conflict otherwise. */
export type Guard = <Body>(state: DefinitionsState, decide: () => Publish<Body>) => Publish<Body>;

interface BaseState {
  readonly definitions: DefinitionsState;
  /** What was published since the base, newest first. */
  readonly since: { readonly count: number; readonly publishes: readonly PublishSince[] };
}

async function baseStateOf(context: PublishContext, project: Project, { key }: Caller, base: number): Promise<BaseState> {
  if (base > project.set.head) {
    throw refusal(
      'INVALID_REQUEST',
      `x-ns-base names revision ${base}, and this project is at ${project.set.head}: it is of another project`,
    );
  }
  const { definitions: seen } = project;
  const changedAt = project.set.residentChangedAt(DEFINITIONS);
  if (changedAt <= base) return { definitions: seen, since: { count: 0, publishes: [] } };
  if (!(await context.views.caughtUp(project.id, changedAt, HISTORY_WAIT_MS))) throw refusal('BEHIND');
  const { count, newest } = await publishedSince(context, project, base);
  // As `publishes`, which shows definitions of every kind.
  const mayKnow = STAGED_SCOPES.every((scope) => allows(key, scope, 'r'));
  return { definitions: seen, since: { count, publishes: mayKnow ? newest.map(listedPublish) : [] } };
}

/** Counts what was published after the base, page by page. Throws 409 PUBLISH_CONFLICT if there are too many publishes to count. */
async function publishedSince({ views }: PublishContext, { id }: Project, base: number) {
  const newest: PublishRow[] = [];
  let count = 0;
  let before = Number.MAX_SAFE_INTEGER;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await views.publishes(id, { before, limit: PAGE });
    // A renewal of `next` changes no definition.
    const since = page.publishes.filter(({ revision, action }) => revision > base && action !== 'renew');
    newest.push(...since.slice(0, MAX_LISTED - newest.length));
    count += since.length;
    if (page.next === null || page.next <= base) return { count, newest };
    before = page.next;
  }
  throw refusal('PUBLISH_CONFLICT', `Nothing was written: more than ${MAX_PAGES * PAGE} publishes followed revision ${base}. Pull first.`);
}

function isSame(one: DefinitionsState, other: DefinitionsState): boolean {
  return one.liveHash === other.liveHash && one.nextHash === other.nextHash && one.generation === other.generation;
}

function listedPublish({ revision, action, target, actor, label, cause, message, ticket, at, changes }: PublishRow): PublishSince {
  return {
    revision,
    action,
    target,
    cause,
    at: new Date(at).toISOString(),
    ...keptWhy({ message, ticket }),
    actor: { ...actor, ...(label === null ? {} : { label }) },
    changes: changes.slice(0, MAX_CHANGES).map(({ kind, id, hash }) => ({ kind, id, removed: hash === null })),
    ...(changes.length > MAX_CHANGES ? { more: changes.length - MAX_CHANGES } : {}),
  };
}
