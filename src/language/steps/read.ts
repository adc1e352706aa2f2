import type { onMissing } from '../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import { isNobody } from '../../domain/document/key.ts';
import type { Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { documentKey } from '../documents.ts';
import type { Language } from '../expressions/language.ts';
import type { Scope } from '../expressions/scope.ts';
import { compileShallow } from '../expressions/template.ts';
import { isNullish, toText } from '../expressions/value.ts';
import { binding, type Compilation, type CompileStep, firstString, type StepDefinitionOf, statusOf, stepFailure } from '../step.ts';
import { compileMessage } from './condition.ts';

/** `read`: the stored document under the call's own writes, or null. */
export const readStep: CompileStep<'read'> = (step, compilation) => {
  const collection = collectionOf(step, compilation);
  const key = compileKey(step, compilation);
  const required = compileRequired(step, compilation.language);
  return binding(step, ({ scope, documents }) => {
    const address = documentKey(key(scope));
    const found = collection === null || address === null ? null : documents.read(collection, address);
    if (found === null) required?.(scope);
    return found;
  });
};

/** Steps that name a collection. */
type CollectionStep = 'read' | 'write' | 'delete' | 'lookup' | 'filter' | 'random_select' | 'lookup_many';

/** The collection's id; `null` for an unknown one, which reads as empty. The name is not a template. */
export function collectionOf({ json }: StepDefinitionOf<CollectionStep>, { definitions }: Compilation): string | null {
  const name = firstString(json, 'collection');
  if (name === undefined) return null;
  if (definitions.collection === undefined) return name;
  return definitions.collection(name)?.id ?? null;
}

/**
 * The key as text; '' if it has no value, so that no document is ever called `undefined`. A read or write that names a collection of players and
 * no key means the caller's own document: editors write steps so. A delete has to name its key. A caller who is not a player has no document.
 */
export function compileKey(
  { json, type }: StepDefinitionOf<CollectionStep>,
  { language, definitions }: Compilation,
): (scope: Scope) => string {
  const { key: named } = json;
  if (
    named === undefined &&
    type !== 'delete' &&
    definitions.collection?.(firstString(json, 'collection') ?? '')?.type === 'per-platformid'
  ) {
    return ({ context: { call } }) => (isNobody(call.platformId) ? '' : call.platformId);
  }
  const key = compileShallow(language, named);
  return (scope) => {
    const value = key(scope);
    return isNullish(value) ? '' : toText(scope.context.plain(value));
  };
}

/** Fails the call as `onMissing` says; `null` if the result may be missing. */
export function compileRequired(
  step: StepDefinitionOf<'read' | 'lookup' | 'filter' | 'random_select'>,
  language: Language,
): ((scope: Scope) => never) | null {
  if (!isTrue(step.json.required)) return null;
  const words: Normal<typeof onMissing, typeof PART_SYNONYMS.onMissing> = objectOf(step.json.onMissing);
  const status = statusOf(words.status, 400);
  const code = firstString(words, 'errorCode') ?? 'NOT_FOUND';
  const text = firstString(words, 'message');
  const message = compileMessage(language, text ?? `Step "${step.id}": required ${step.type} returned no result.`);
  return (scope) => {
    throw stepFailure(step, status, code, message(scope));
  };
}

/** A flag, which a tool may have written as text. */
function isTrue(json: Json | undefined): boolean {
  return json === true || json === 'true';
}
