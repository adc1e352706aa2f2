import type { ProjectEvent } from '../../domain/events.ts';
import type { Json } from '../../kernel/json.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import type { Caller } from '../caller.ts';
import type { AppContext } from '../context.ts';
import type { Moment } from '../past/commits.ts';
import type { Project } from '../project/project.ts';

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

/** When, who and by what. Who holds which key is said to secret keys alone. */
export function toldOf(
  { revision, metadata }: Pick<ProjectEvent, 'revision' | 'metadata'>,
  { isSecret }: Pick<Caller, 'isSecret'>,
  authority: Project['authority'],
): Told {
  const { keyId, person, ...actor } = metadata.actor;
  const label = keyId === undefined ? undefined : authority?.keys.get(keyId)?.label;
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

/** Finds the publish that was in force at a revision, for revisions that descend. */
export function publishesFor({ views }: Pick<AppContext, 'views'>, projectId: string): (revision: number) => Promise<number | null> {
  let known: number | null | undefined;
  return async (revision) => {
    if (known === undefined || (known !== null && known > revision)) {
      const { publishes } = await views.publishes(projectId, { before: revision + 1, limit: 1 });
      known = publishes[0]?.revision ?? null;
    }
    return known;
  };
}
