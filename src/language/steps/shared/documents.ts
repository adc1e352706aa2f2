import { refuseTakenKey } from '../../../domain/document/address.ts';
import { isNobody } from '../../../domain/document/key.ts';
import { type Findings, isTemplated, isText } from '../../../domain/finding.ts';
import type { Scope } from '../../expressions/scope.ts';
import { compileShallow } from '../../expressions/template.ts';
import { isNullish, toText } from '../../expressions/value.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { type Compilation, firstString, type StepDefinitionOf } from '../../step.ts';
import { documentsOf } from '../../validate/fields.ts';
import type { Shape } from '../../validate/shape.ts';

/** Steps that name a document. */

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
 * The key as text; '' if it has no value, so that no document is ever called `undefined`. A read or write that names a collection of
 * players and no key means the caller's own document: editors write steps so. A delete has to name its key. A caller who is not a player
 * has no document.
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

/** Findings for the document that a step names. */
export function documentFindings(step: NormalStep<'read' | 'write' | 'delete'>, pointer: string, findings: Findings): void {
  collectionFindings(step, pointer, findings);
  if (isText(step.key)) {
    addressFinding(step, step.key, pointer, findings);
    return;
  }
  const { collection: named, key, type } = step;
  const mayMeanTheCaller = key === undefined && type !== 'delete' && isText(named);
  // Nobody knows whether a collection that is not there belongs to players.
  const isMissing = isText(named) && !isTemplated(named) && !findings.known.collection(named);
  if (mayMeanTheCaller && (isMissing || findings.known.playersCollection(named))) return;
  findings.add('MISSING_KEY', pointer, `This step needs a 'key'.`, 'Such as {{platformId}}.');
}

/** A document that a step makes under a fixed key. */
function addressFinding(
  { type, collection: name }: NormalStep<'read' | 'write' | 'delete'>,
  key: string,
  pointer: string,
  findings: Findings,
): void {
  if (type !== 'write' || isTemplated(key) || !isText(name)) return;
  const refused = refuseTakenKey({ id: name, type: 'per-platformid' }, key);
  if (refused !== null) findings.add(refused.code, `${pointer}/key`, `${refused.message}.`);
}

export function collectionFindings(
  { collection: name }: Pick<NormalStep<'read'>, 'collection'>,
  pointer: string,
  findings: Findings,
): void {
  if (!isText(name)) findings.add('MISSING_COLLECTION', pointer, `This step needs a 'collection'.`);
  else if (!isTemplated(name) && !findings.known.collection(name)) {
    findings.addMissing('COLLECTION_NOT_FOUND', `${pointer}/collection`, `There is no collection '${name}'.`, { kind: 'collection', name });
  }
}

/** The members of a document that a step binds. */
export function documentShape({ collection }: NormalStep<'read' | 'write'>, findings: Findings): Shape {
  return documentsOf(collection, findings) ?? 'open';
}
