import { useState } from 'react';
import type { Sheet } from '../../words/sheet.ts';

/** What was changed in a sheet and is not saved yet, step by step. */

interface Edits {
  /** What the changes were made to. */
  readonly base: Sheet;
  readonly steps: readonly Sheet[];
  /** Steps that are done: those behind were taken back. */
  readonly done: number;
}

/** Steps that can be taken back. */
const MAX_STEPS = 200;

export interface Editing {
  readonly base: Sheet;
  readonly sheet: Sheet;
  readonly isEdited: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly change: (sheet: Sheet) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly forget: () => void;
}

/** Changes to what is shown. While there are some, they stay on what they were made to, whatever is read meanwhile. */
export function useEditing(shown: Sheet): Editing {
  const [held, setEdits] = useState<Edits | null>(null);
  // What was taken back altogether was made to what is no more.
  const edits = held !== null && held.done === 0 && held.base !== shown ? null : held;
  const base = edits?.base ?? shown;
  const done = edits?.done ?? 0;
  const sheet = edits?.steps[done - 1] ?? base;
  const go = (by: number) => edits !== null && setEdits({ ...edits, done: Math.max(0, Math.min(done + by, edits.steps.length)) });
  return {
    base,
    sheet,
    isEdited: sheet !== base,
    canUndo: done > 0,
    canRedo: edits !== null && done < edits.steps.length,
    change: (next) => {
      const steps = [...(edits?.steps.slice(0, done) ?? []), next].slice(-MAX_STEPS);
      setEdits({ base, steps, done: steps.length });
    },
    undo: () => go(-1),
    redo: () => go(1),
    forget: () => setEdits(null),
  };
}
