import { queryOptions } from '@tanstack/react-query';
import { isRevision } from '../words/time.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';

/** What people change. Each has a key of its own, so that a repeated request happens once. */

export type Policy = 'give' | 'reverse';

export interface Why {
  readonly reason: string;
  readonly ticket: string;
}

/** Nothing is said yet. */
export const NO_WHY: Why = { reason: '', ticket: '' };

/** Options of a look at what an act would do: made anew each time, and kept while it is shown. Its key begins with project and `look`. */
export const LOOK = { gcTime: 0, staleTime: Number.POSITIVE_INFINITY, retry: false } as const;

/** The reason of a look, which nothing keeps. */
export const LOOK_REASON = 'a look';

export function whyOf({ reason, ticket }: Why) {
  return { reason: reason.trim(), ...(ticket.trim() === '' ? {} : { ticket: ticket.trim() }) };
}

/** What was said where nothing has to be; `name`: what the route calls the reason. */
export function saidAs<Name extends string>(name: Name, why: Why): { readonly [As in Name | 'ticket']?: string } {
  const { reason, ...ticket } = whyOf(why);
  return { ...(reason === '' ? {} : { [name]: reason }), ...ticket } as { readonly [As in Name | 'ticket']?: string };
}

/** Why something is published, as far as that was said. */
export function publishWhyOf(why: Why) {
  return saidAs('message', why);
}

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

export interface PromotionAsked {
  readonly project: string;
  /** The revision that was looked at: whoever published since is not overwritten. */
  readonly base: number;
  readonly why: Why;
  readonly force: boolean;
  /** An owner goes past the second person. */
  readonly breakGlass: boolean;
}

export function promote({ project, base, why, force, breakGlass }: PromotionAsked, intent: string) {
  return answerOf(api.promote({ project, ...publishWhyOf(why), xNsBase: base, idempotencyKey: intent, body: { force, breakGlass } }));
}

export interface TakingBack {
  readonly project: string;
  readonly base: number;
  readonly why: Why;
}

/** Takes back all that is staged. */
export function takeBack({ project, base, why }: TakingBack, intent: string) {
  return answerOf(api.discard({ project, ...publishWhyOf(why), xNsBase: base, idempotencyKey: intent, body: {} }));
}

export interface RollbackAsked {
  readonly project: string;
  readonly to: number;
  readonly base: number;
  readonly why: Why;
  readonly breakGlass: boolean;
}

export function lookAtRollback(project: string, to: number) {
  return answerOf(api.rollback({ project, body: { to, dryRun: true } }));
}

export function rollback({ project, to, base, why, breakGlass }: RollbackAsked, intent: string) {
  return answerOf(api.rollback({ project, ...publishWhyOf(why), xNsBase: base, idempotencyKey: intent, body: { to, breakGlass } }));
}

/** A key for one act: kept while its request is repeated, new for the next. */
export function newIntent(): string {
  return crypto.randomUUID();
}
