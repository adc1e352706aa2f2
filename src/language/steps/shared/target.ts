import { documentKey } from '../../documents.ts';
import { LanguageError } from '../../expressions/errors.ts';
import type { Scope } from '../../expressions/scope.ts';
import type { Target } from '../../run.ts';
import { type Compilation, errorCode, firstString, type StepDefinition, type StepDefinitionOf, stepFailure } from '../../step.ts';
import { collectionOf, compileKey } from './documents.ts';

/** The document that a step changes. */

/** Cost of one operation, in units of work. An operation copies what it changes, so ten thousand operations reach the limit of a call. */
export const OPERATION_COST = 200;

/** Where to write. A key without a value is refused: else the mistakes of all definitions would write a document called `undefined`. */
export function compileTarget(step: StepDefinitionOf<'write' | 'delete'>, compilation: Compilation): (scope: Scope) => Target {
  const collection = collectionOf(step, compilation);
  const named = firstString(step.json, 'collection') ?? '';
  const keyText = compileKey(step, compilation);
  return (scope) => {
    if (collection === null) throw new LanguageError(`there is no collection "${named}".`);
    const text = keyText(scope);
    if (text === '' || text === '_default') throw new LanguageError('key resolved to empty.');
    const key = documentKey(text);
    if (key === null) throw new LanguageError('key is not a usable document key.');
    return { collection, key, named, keyText: text };
  };
}

export function refused(step: StepDefinition, reason: string): Error {
  return stepFailure(step, 400, errorCode(step), `Write "${step.id}": ${reason}`);
}
