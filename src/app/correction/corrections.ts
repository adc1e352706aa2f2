import type { DocumentCorrected, Restored, Undone } from '../../contract/answers.ts';
import type { Address, ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import type { TellingContext } from '../management/untelling.ts';
import type { Past } from '../past/past.ts';
import { type Changing, change } from './change.ts';
import { type Restoring, restore } from './restore.ts';
import { type Undoing, undo } from './undo.ts';

/** What support puts right, with a secret key that has the scope `restore`, or for one document `correction`. */
export interface Corrections {
  /** Changes, makes or deletes one document. Throws what refuses such a write, but for rate limits, which do not apply. */
  change(caller: Caller, at: Address, request: Changing): Promise<ManageAnswer<DocumentCorrected>>;
  /** Undoes one commit. Throws 404 for a revision without a commit, and 409: NOTHING_TO_UNDO, ALREADY_UNDONE, CORRECTION_BLOCKED. */
  undo(caller: Caller, request: Undoing): Promise<ManageAnswer<Undone>>;
  /**
   * Brings a player's data back to what they were. Throws 404 for a moment that is not in the log, 409 CORRECTION_BLOCKED, and 413
   * APPEND_TOO_LARGE for what does not fit into one commit.
   */
  restore(caller: Caller, player: string, request: Restoring): Promise<ManageAnswer<Restored>>;
}

export function createCorrections(context: TellingContext, past: Past): Corrections {
  return {
    change: (caller, at, request) => change(context, caller, at, request),
    undo: (caller, request) => undo(context, past, caller, request),
    restore: (caller, player, request) => restore(context, past, caller, player, request),
  };
}
