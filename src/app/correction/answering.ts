import { Refusal, refusal } from '../../kernel/errors.ts';
import type { ManageAnswer } from '../answers.ts';
import { stored } from '../context.ts';
import type { Outcome } from '../project/commit.ts';

/** Why something is put right. */
export interface Why {
  readonly reason: string;
  readonly ticket?: string | undefined;
}

interface Correction {
  readonly revision: number | null;
  readonly documents: readonly unknown[];
  readonly slots: readonly unknown[];
}

/** The answer with the revision of the commit that was made, by which it can be undone. */
export function namingCommit<Answer extends Correction>(outcome: Outcome<Answer>, isLook: boolean): ManageAnswer<Answer> {
  const { answer, revision, replayed } = outcome;
  const isMade = !isLook && replayed === undefined && (answer.documents.length > 0 || answer.slots.length > 0);
  return { ...stored(outcome), result: isMade ? { ...answer, revision } : answer };
}

/** Rethrows; a refusal of what is too large for one append says so in the words of what was asked. */
export function tooLarge(words: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof Refusal && error.code === 'APPEND_TOO_LARGE') throw refusal('APPEND_TOO_LARGE', `${words}; nothing was written`);
    throw error;
  };
}
