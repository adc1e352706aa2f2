import type { Fork, Space } from '../domain/events.ts';
import type { DocumentState, SubjectState, WindowState } from '../domain/states.ts';
import { documentSubject, type SubjectKey, windowSubject } from '../domain/subjects.ts';
import type { View } from './view.ts';

/**
 * Reading documents and windows in a space. A `next` space is copy on write: what it has not touched yet is read from live; its
 * first event of a subject carries the live state it forked from. A tombstone in it hides the live document.
 */

export interface Located {
  readonly state: DocumentState | null;
  /** Set when the state was read from live on behalf of a `next` space. */
  readonly fork: Fork | undefined;
}

export function documentIn(view: View, space: Space, collection: string, key: string): Located {
  const own = asDocument(view.read(documentSubject(space, collection, key)));
  if (own || space === 'live') return { state: own, fork: undefined };
  const live = asDocument(view.read(documentSubject('live', collection, key)));
  return { state: live, fork: { document: live?.document ?? null, version: live?.version ?? 0 } };
}

export function windowIn(view: View, space: Space, counter: string): WindowState | null {
  const own = asWindow(view.read(windowSubject(space, counter)));
  return own ?? (space === 'live' ? null : asWindow(view.read(windowSubject('live', counter))));
}

/** Every subject that {@link documentIn} reads, to have them loaded in one round trip. */
export function documentSubjects(space: Space, collection: string, key: string): readonly SubjectKey[] {
  const own = documentSubject(space, collection, key);
  return space === 'live' ? [own] : [own, documentSubject('live', collection, key)];
}

function asDocument(state: SubjectState | null): DocumentState | null {
  return state !== null && 'version' in state ? state : null;
}

function asWindow(state: SubjectState | null): WindowState | null {
  return state !== null && 'used' in state ? state : null;
}
