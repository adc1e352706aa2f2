import type { z } from 'zod';
import { ACCESS_EVENTS } from './access.ts';
import { DOCUMENT_EVENTS } from './document.ts';
import { PROJECT_EVENTS } from './project.ts';
import { COMMENT_EVENTS, RELEASE_EVENTS } from './release.ts';

/**
 * Every event of the log with its versions: the public format that auditors read. A published form never changes; a new version follows it.
 */
export const EVENTS = { ...PROJECT_EVENTS, ...RELEASE_EVENTS, ...COMMENT_EVENTS, ...DOCUMENT_EVENTS, ...ACCESS_EVENTS } as const;

export type EventType = keyof typeof EVENTS;
export type EventData = { readonly [T in EventType]: z.output<(typeof EVENTS)[T]['data']> };

/**
 * Whether the data of such an event may be forgotten. Those of the project itself (settings, keys, definitions, pages, approvals) are
 * nobody's own, and without them a revoked key would be good again.
 */
export function mayBeForgotten(type: EventType): boolean {
  return !Object.hasOwn(PROJECT_EVENTS, type) && !Object.hasOwn(RELEASE_EVENTS, type);
}

/** The versions that this build writes, and the highest that it can read. */
export function versionsOf<T extends string>(events: Readonly<Record<T, { readonly version: number }>>): Readonly<Record<T, number>> {
  const entries = (Object.keys(events) as T[]).map((type) => [type, events[type].version]);
  return Object.fromEntries(entries);
}
