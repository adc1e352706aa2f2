import type { Diagnostic } from '../../../contract/answers.ts';
import type { Item } from '../../../contract/resources/definition.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { objectOf, stringOf } from '../../../kernel/json-read.ts';
import { type Widening, wideningsOf } from '../../access/widened.ts';
import { takenCollection } from '../../document/address.ts';
import type { PublishTarget } from '../../events.ts';
import { type ListedKind, nameMember } from '../../kinds.ts';
import type { DefinitionItem, DefinitionsState } from '../../states.ts';
import { definitionOf, findByName, overlaid } from '../model/overlay.ts';
import { idProblem, invalid, storedTextProblem } from '../source/check.ts';
import { compileItem } from '../source/compile.ts';
import type { Problem, Warning } from '../source/problem.ts';
import { plainWords } from '../source/wording.ts';
import { type Put, putOf } from './publish-events.ts';

/** One validated element of a push: what it would put, or why it is refused. Nothing here writes. */

export type PlannedItem = ValidItem | InvalidItem;

export interface ValidItem {
  readonly ok: true;
  readonly put: Put;
  /** The definition as it would be stored. */
  readonly definition: JsonObject;
  /** The definition that it replaces in the target. */
  readonly before: DefinitionItem | undefined;
  /** What it opens to more callers than live does, once it is live itself. */
  readonly opens: readonly Widening[];
  readonly warnings: readonly Warning[];
}

export interface InvalidItem {
  readonly ok: false;
  readonly problem: Problem;
  /** Its id if it has one, else its position, such as `endpoint[0]`. */
  readonly resourceId: string;
  /** The author's file, if it came from one. */
  readonly file?: string;
}

/** Plans the elements of an array push or a sync. Each replaces the definition stored under its id; of two with one id the last stays. */
export function planAll(state: DefinitionsState, kind: ListedKind, items: readonly Json[], target: PublishTarget): readonly PlannedItem[] {
  const planned = items.map((item, index) => plan(state, kind, item, target, index));
  const kept = new Map(planned.flatMap((each) => (each.ok ? [[each.put.id, each] as const] : [])));
  return planned.map((each) => {
    if (!each.ok || kept.get(each.put.id) === each) return each;
    const message = `The ${kind} '${each.put.id}' comes once more in this push: the last one is stored, and this one is lost.`;
    return { ...each, warnings: [...each.warnings, { code: 'DUPLICATE_DEFINITION', message, pointer: '/id' }] };
  });
}

/** Plans one element, which is looked for under its id. */
export function plan(state: DefinitionsState, kind: ListedKind, item: Json, target: PublishTarget, index: number): PlannedItem {
  const compiled = compileItem(item, kind);
  const fallback = `${kind}[${index}]`;
  const unfit = (problem: Problem, resourceId: string): InvalidItem => ({ ok: false, problem, resourceId, ...fileOf(item) });
  if (!compiled.ok) return unfit(compiled, compiled.resourceId ?? fallback);
  const { definition, warnings } = compiled;
  const key = stringOf(definition[nameMember(kind)]);
  const own = compiled.id ?? key;
  if (own === undefined) {
    const message = `Each ${kind} must have '${nameMember(kind)}' or 'id'.`;
    return unfit({ ...invalid(message), missingName: true }, fallback);
  }
  const byName = compiled.id === null || isPulledByName(item, kind, compiled.id, key);
  const before = existing(state, kind, target, definition, byName) ?? existing(state, kind, target, { id: own }, false);
  const id = before?.id ?? own;
  const { whole, put } = wholeOf(kind, definition, id);
  const taken = kind === 'collection' && before === undefined ? takenCollection(id) : null;
  const problem = (taken === null ? null : invalid(`${taken} Choose another id.`)) ?? putProblem(kind, put, key);
  // The tools look up a failure by file name, which is the item's id, not the id in the source.
  const opens = openedBy(state, kind, whole, target);
  return problem === null ? { ok: true, put, definition: whole, before, opens, warnings } : unfit(problem, givenId(item) ?? own);
}

/** What a definition opens. One that is staged lies over live, and what it leaves out stays. */
export function openedBy(state: DefinitionsState, kind: ListedKind, whole: JsonObject, target: PublishTarget): readonly Widening[] {
  const live = existing(state, kind, 'live', whole, false);
  if (live === undefined) return [];
  const before = objectOf(definitionOf(live));
  return wideningsOf(kind, before, target === 'next' ? overlaid(before, whole, live.id) : whole);
}

/**
 * A definition as it would be stored. It is made and printed once: a push of several commits is decided once for each commit, and findings
 * are cached by this object.
 */
export function wholeOf(kind: ListedKind, definition: JsonObject, id: string): Pick<ValidItem, 'put'> & { readonly whole: JsonObject } {
  const known = wholes.get(definition);
  if (known?.put.kind === kind && known.put.id === id) return known;
  const whole = stored(kind, definition, id);
  const made = { whole, put: putOf(kind, id, whole) };
  wholes.set(definition, made);
  return made;
}

const wholes = new WeakMap<JsonObject, { readonly whole: JsonObject; readonly put: Put }>();

/**
 * The stored definition that a push replaces: the one with the same id, or for endpoints the same slug. If the push gives no id, or is a
 * PATCH, it is found by name, too. Staged definitions come first. A staged removal counts, too: its id is used again.
 */
export function existing(
  state: DefinitionsState,
  kind: ListedKind,
  target: PublishTarget,
  definition: Item,
  byName: boolean,
): DefinitionItem | undefined {
  const layers = target === 'next' ? [state.next, state.live] : [state.live];
  const id = stringOf(definition.id);
  const key = stringOf(definition[nameMember(kind)]);
  const find = (matches: (layer: DefinitionsState['live']) => DefinitionItem | undefined) => {
    for (const layer of layers) {
      const item = matches(layer);
      if (item !== undefined) return item;
    }
    return undefined;
  };
  const same = id === undefined ? undefined : find((layer) => layer[kind].get(id));
  if (same !== undefined || key === undefined) return same;
  const named = byName || kind === 'endpoint' ? find((layer) => findByName(layer, kind, key)) : undefined;
  return target === 'next' && named !== undefined ? (state.next[kind].get(named.id) ?? named) : named;
}

/**
 * Whether the item's id is really a name. The editor knows collections by name, so a file that it pulled has the name as its id. When that
 * file is pushed again, it must update the collection that it came from.
 */
function isPulledByName(item: Json, kind: ListedKind, id: string, key: string | undefined): boolean {
  const { sourceText }: Item = objectOf(item);
  return kind === 'collection' && id === key && typeof sourceText === 'string';
}

/** The stored form of a definition: with its id, an endpoint with its slug, and without marks of listings. */
function stored(kind: ListedKind, definition: JsonObject, id: string): JsonObject {
  const { slug: named }: Item = definition;
  const slug = kind === 'endpoint' && stringOf(named) === undefined ? { slug: id } : {};
  // Listings mark staged definitions. If the marks were stored, the live definition would keep them after its promotion.
  const { revisionTarget: _target, hasStaged: _staged, stagedRemoval: _removal, ...own } = definition;
  return own['id'] === undefined ? { id, ...own, ...slug } : { ...own, id, ...slug };
}

/** What is wrong with the id, slug or size of a definition to be stored, or `null`. */
export function putProblem(kind: ListedKind, put: Put, key: string | undefined): Problem | null {
  const slug = kind === 'endpoint' && key !== undefined ? idProblem(kind, key) : null;
  return idProblem(kind, put.id) ?? slug ?? storedTextProblem(put.text);
}

/** Results of the elements of a refused push. Valid elements were not written, either. */
export function refusedResults(kind: ListedKind, planned: readonly PlannedItem[]): JsonObject[] {
  return planned.map((each) =>
    each.ok
      ? { ok: true, resourceKind: kind, resourceId: each.put.id, action: 'skipped' }
      : {
          ok: false,
          resourceKind: kind,
          resourceId: each.resourceId,
          error: codeOf(each.problem),
          message: plainWords(each.problem.message),
          diagnostics: [diagnostic(each.problem, each)],
        },
  );
}

function givenId(item: Json): string | undefined {
  const { id }: Item = objectOf(item);
  return stringOf(id);
}

/** The file that an item says it comes from. */
export function fileOf(item: Json): { readonly file?: string } {
  const { sourcePath }: Item = objectOf(item);
  const file = stringOf(sourcePath);
  return file === undefined ? {} : { file };
}

/** A problem in the form that tools show, with file and line. */
export function diagnostic({ code, message, line, column }: Problem, { file }: { readonly file?: string } = {}): Diagnostic {
  const position = line === undefined || column === undefined ? {} : { line, column };
  return { severity: 'error', code, message: plainWords(message), ...(file === undefined ? {} : { sourcePath: file }), ...position };
}

/** The code of the refusal of a push for this problem. */
export function codeOf(problem: Problem): 'VALIDATION_FAILED' | 'SOURCE_COMPILE_FAILED' {
  return problem.code === 'VALIDATION_FAILED' ? 'VALIDATION_FAILED' : 'SOURCE_COMPILE_FAILED';
}
