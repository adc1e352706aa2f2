import type { Actor, ProjectEvent } from '../../domain/events.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import type { Json } from '../../kernel/json.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import type { Caller } from '../caller.ts';
import type { AppContext } from '../context.ts';
import type { Moment } from '../past/commits.ts';
import { labelOf } from '../people/people.ts';
import type { Project } from '../project/project.ts';
import { ofMoment } from './moments.ts';

/** What every list of changes says of a change, whatever it is of. */

/** A page of changes that is asked for. */
export interface ChangesQuery {
  /** `null`: now. */
  readonly at: string | null;
  readonly limit: number;
  /** A revision, as the page before names it. */
  readonly before: string | null;
}

/** The newest revision of a page. Throws 400 INVALID_REQUEST. */
export function lastOfPage({ revision }: Moment, before: string | null): number {
  return Math.min(revision, (revisionCursor(before, 'before') ?? Number.MAX_SAFE_INTEGER) - 1);
}

interface Told {
  readonly revision: number;
  readonly at: string;
  readonly actor: { readonly kind: string } & { readonly [name: string]: Json };
  readonly cause: string;
  readonly commandId: string;
}

/** What the key or the person is called who acted. */
export type Labels = (actor: Actor) => string | undefined;

/** The labels of those who made some changes. */
export async function labelsOf(
  { people }: Pick<AppContext, 'people'>,
  { authority }: Pick<Project, 'authority'>,
  events: readonly Pick<ProjectEvent, 'metadata'>[],
): Promise<Labels> {
  await people.know(events.map(({ metadata }) => metadata.actor));
  return (actor) => labelOf(actor, authority, people);
}

/** When, who and by what. Who holds which key is said to secret keys alone. */
export function toldOf(
  { revision, metadata }: Pick<ProjectEvent, 'revision' | 'metadata'>,
  { isSecret }: Pick<Caller, 'isSecret'>,
  labels: Labels,
): Told {
  const { keyId, person, ...actor } = metadata.actor;
  const label = labels(metadata.actor);
  return {
    revision,
    at: new Date(metadata.recordedAt).toISOString(),
    actor: {
      ...actor,
      ...(isSecret && person !== undefined ? { person } : {}),
      ...(isSecret && keyId !== undefined ? { keyId } : {}),
      ...(isSecret && label !== undefined ? { label } : {}),
    },
    cause: metadata.cause,
    commandId: metadata.requestId ?? metadata.commandId,
  };
}

/** A page of changes, newest first, each as `tell` says it: with the publish that was in force, and the labels of who acted. */
export async function pageOfChanges<Step extends { readonly event: ProjectEvent }, Change>(
  context: Pick<AppContext, 'views' | 'people'>,
  { project, moment }: { readonly project: Project; readonly moment: Moment },
  { steps, redacted, isCut = false }: { readonly steps: readonly Step[]; readonly redacted: number | null; readonly isCut?: boolean },
  limit: number,
  tell: (step: Step, publish: number | null, labels: Labels) => Awaitable<Change>,
) {
  const inForce = publishesFor(context, project.id);
  const labels = await labelsOf(
    context,
    project,
    steps.map(({ event }) => event),
  );
  const changes: Change[] = [];
  for (const step of steps) changes.push(await tell(step, await inForce(step.event.revision), labels));
  const before = steps.length < limit && !isCut ? redacted : (steps.at(-1)?.event.revision ?? null);
  const answer = ofMoment(moment);
  return { ...answer, result: { ok: true as const, changes, before, ...(redacted === null ? {} : { redacted }), at: answer.at } };
}

/** Finds the publish that was in force at a revision, for revisions that descend. */
function publishesFor({ views }: Pick<AppContext, 'views'>, projectId: string): (revision: number) => Promise<number | null> {
  let known: number | null | undefined;
  return async (revision) => {
    if (known === undefined || (known !== null && known > revision)) {
      const { publishes } = await views.publishes(projectId, { before: revision + 1, limit: 1 });
      known = publishes[0]?.revision ?? null;
    }
    return known;
  };
}
