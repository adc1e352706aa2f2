import { queryOptions } from '@tanstack/react-query';
import { isRevision } from '../words/time.ts';
import { LOOK, LOOK_REASON, type Why, whyOf } from './acts.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';

/** What support puts right: a commit undone, a player restored, a document changed. */

export type Policy = 'give' | 'reverse';

export interface UndoAsked {
  readonly project: string;
  readonly revision: number;
  readonly policy: Policy;
}

export function lookAtUndo({ project, revision, policy }: UndoAsked) {
  return answerOf(api.undoCommit({ project, body: { revision, policy, reason: LOOK_REASON, dryRun: true } }));
}

export function undo({ project, revision, policy }: UndoAsked, why: Why, intent: string) {
  return answerOf(api.undoCommit({ project, idempotencyKey: intent, body: { revision, policy, ...whyOf(why) } }));
}

interface RestoreTo {
  readonly project: string;
  readonly player: string;
  readonly to: string;
  readonly policy: Policy;
}

/** What comes back is what was lost, but for this. */
export interface RestoreAsked extends RestoreTo {
  readonly collections: readonly string[];
  readonly keep: readonly string[];
  /** Save slots that stay as they are, by their ids. */
  readonly keepSlots: readonly string[];
  readonly also: readonly string[];
  readonly alsoCollections: readonly string[];
  readonly alsoSlots: readonly string[];
}

/** Lines of a document that are listed before more are asked for: it may have tens of thousands. */
export const LINES = 200;

function momentIn({ to, policy }: RestoreTo) {
  return { to: isRevision(to) ? Number(to) : to, policy };
}

function restoreBody(asked: RestoreAsked) {
  const { collections, keep, keepSlots, also, alsoCollections, alsoSlots } = asked;
  return {
    ...momentIn(asked),
    collections: [...collections],
    keep: [...keep],
    keepSlots: [...keepSlots],
    lost: true,
    also: [...also],
    alsoCollections: [...alsoCollections],
    alsoSlots: [...alsoSlots],
  };
}

/** All that differs from then, and could come back. `lines`: of each document, at most. */
export function restoreQuery(asked: RestoreTo, lines = LINES) {
  const { project, player, to, policy } = asked;
  return queryOptions({
    queryKey: [project, 'look', 'restore', player, to, policy, lines],
    queryFn: () => answerOf(api.restorePlayer({ project, player, body: { ...momentIn(asked), lines, reason: LOOK_REASON, dryRun: true } })),
    ...LOOK,
  });
}

/** What comes of it, which is not listed line by line once more. */
export function lookAtRestore(asked: RestoreAsked) {
  const { project, player } = asked;
  return answerOf(api.restorePlayer({ project, player, body: { ...restoreBody(asked), lines: 0, reason: LOOK_REASON, dryRun: true } }));
}

export function restore(asked: RestoreAsked, why: Why, intent: string) {
  const { project, player } = asked;
  const body = { ...restoreBody(asked), lines: LINES, ...whyOf(why) };
  return answerOf(api.restorePlayer({ project, player, idempotencyKey: intent, body }));
}

export interface Operation {
  readonly op: 'set' | 'inc' | 'push' | 'remove' | 'merge';
  readonly path: string;
  readonly value: unknown;
}

/** What one document is to become. */
export type WantedChange =
  | { readonly ops: readonly Operation[] }
  | { readonly document: Readonly<Record<string, unknown>> }
  | { readonly deleted: true };

export interface ChangeAsked {
  readonly project: string;
  readonly collection: string;
  readonly key: string;
  readonly target: 'live' | 'next';
  /** The change is made to this version, or not at all; 0: there must be no document. */
  readonly version: number;
  readonly change: WantedChange;
}

function changeOf({ project, collection, key, target, version, change }: ChangeAsked) {
  const what = 'ops' in change ? { ops: [...change.ops] } : change;
  return { project, collection, key, xNsPublishTarget: target, body: { ...what, version } };
}

export function lookAtChange(asked: ChangeAsked) {
  const { body, ...where } = changeOf(asked);
  return answerOf(api.correctDocument({ ...where, body: { ...body, reason: LOOK_REASON, dryRun: true } }));
}

export function correct(asked: ChangeAsked, why: Why, intent: string) {
  const { body, ...where } = changeOf(asked);
  return answerOf(api.correctDocument({ ...where, idempotencyKey: intent, body: { ...body, ...whyOf(why) } }));
}
