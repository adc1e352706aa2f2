import type { Undone } from '../../contract/answers.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import type { AppContext } from '../context.ts';
import type { Past } from '../past/past.ts';
import { type Undoing, undo } from './undo.ts';

/** What support puts right, with a secret key that has the scope `restore`. */
export interface Corrections {
  /** Undoes one commit. Throws 404 for a revision without a commit, and 409: NOTHING_TO_UNDO, ALREADY_UNDONE, CORRECTION_BLOCKED. */
  undo(caller: Caller, request: Undoing): Promise<ManageAnswer<Undone>>;
}

export function createCorrections(context: AppContext, past: Past): Corrections {
  return {
    undo: (caller, request) => undo(context, past, caller, request),
  };
}
