import { publishWhyOf, type Why } from './acts.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';

/** What makes live, takes back what is staged, and rolls back. */

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
