import { balancesOf } from '../../domain/document/balances.ts';
import type { Fork, SaveRecord, Space } from '../../domain/events.ts';
import type { DocumentState, WindowState } from '../../domain/states.ts';
import { documentSubject, recordListSubject, type Subject, windowSubject } from '../../domain/subjects.ts';
import type { DecisionContext } from './decision-context.ts';

/**
 * Reads documents and windows in a space. A `next` space is copy on write: what it has not changed is read from live, and its first event
 * of a subject carries the live state that it forked from. A tombstone hides the live document.
 */

export interface LocatedDocument {
  readonly state: DocumentState | null;
  /** Set if the state was read from live for a `next` space. */
  readonly fork: Fork | undefined;
}

/** A document as decisions in this space see it. */
export function documentIn(ctx: DecisionContext, space: Space, collection: string, key: string): LocatedDocument {
  const own = ctx.read(documentSubject(space, collection, key));
  if (own || space === 'live') return { state: own, fork: undefined };
  const live = ctx.read(documentSubject('live', collection, key));
  const balances = live?.balances === undefined ? {} : { balances: balancesOf(live) };
  return { state: live, fork: { document: live?.document ?? null, version: live?.version ?? 0, ...balances } };
}

/** The counter of one window. A `next` space continues live's count. */
export function windowIn(ctx: DecisionContext, space: Space, counter: string): WindowState | null {
  const own = ctx.read(windowSubject(space, counter));
  return own ?? (space === 'live' ? null : ctx.read(windowSubject('live', counter)));
}

export interface LocatedList {
  readonly records: readonly SaveRecord[];
  /** Set if the list was read from live for a `next` space. */
  readonly fork: readonly SaveRecord[] | undefined;
}

/** A player's save records as decisions in this space see them. */
export function recordListIn(ctx: DecisionContext, space: Space, collection: string, player: string): LocatedList {
  const own = ctx.read(recordListSubject(space, collection, player));
  if (own || space === 'live') return { records: own?.records ?? [], fork: undefined };
  const records = ctx.read(recordListSubject('live', collection, player))?.records ?? [];
  return { records, fork: records };
}

/** Every subject that {@link recordListIn} reads. */
export function recordListSubjects(space: Space, collection: string, player: string): readonly Subject<'records'>[] {
  const own = recordListSubject(space, collection, player);
  return space === 'live' ? [own] : [own, recordListSubject('live', collection, player)];
}

/** Every subject that {@link documentIn} reads, to load them in one round trip. */
export function documentSubjects(space: Space, collection: string, key: string): readonly Subject<'document'>[] {
  const own = documentSubject(space, collection, key);
  return space === 'live' ? [own] : [own, documentSubject('live', collection, key)];
}
