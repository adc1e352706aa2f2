import type { Diagnostic, PushedMany } from '../../../contract/answers.ts';
import type { collection } from '../../../contract/resources/collection.ts';
import type { Item } from '../../../contract/resources/definition.ts';
import type { endpoint } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import { type Json, type JsonObject, tryParseJson } from '../../../kernel/json.ts';
import { objectFrom, objectOf, stringOf } from '../../../kernel/json-read.ts';
import { isInternal } from '../../../language/exposure.ts';
import { closedSchema, fieldsOf } from '../../../language/validate/fields.ts';
import { type KnownByName, suggestionsAmong, withSuggestions } from '../../../language/validate/meant.ts';
import { ACCESS_WIDENED, type Widening } from '../../access/widened.ts';
import type { PublishTarget } from '../../events.ts';
import type { Finding, MissingName, StoredFindings } from '../../finding.ts';
import type { ListedKind } from '../../kinds.ts';
import type { EffectiveDefinitions } from '../../model.ts';
import type { DefinitionsState } from '../../states.ts';
import { findingsOf } from '../findings/cached-findings.ts';
import { droppedGuards } from '../findings/guards.ts';
import { blockIn, blocksOf, hasValue, knownIn, libraryOf, namesIn, returnsOf, valuesLike } from '../findings/known.ts';
import { warningsOf } from '../findings/shown.ts';
import { effectiveDefinitions } from '../model/effective.ts';
import { typeOfCollection, writtenSchema } from '../model/models.ts';
import { definitionOf, isRemoval } from '../model/overlay.ts';
import { definesValues, gameValues } from '../model/values.ts';
import { located, ParseBudget } from '../source/positions.ts';
import type { PlannedItem, ValidItem } from './plan-item.ts';
import type { Put } from './publish-events.ts';

/** Warnings about what a push puts. None of them refuses the push. */

/** The elements of a push by kind. A section that is not a list has none. */
export type PushedKinds = ReadonlyMap<ListedKind, readonly PlannedItem[]>;

/** What definitions may refer to: what the target holds, and what this push contains. */
export function knownByName(state: DefinitionsState, target: PublishTarget, push: PushedKinds, values?: Put): KnownByName {
  const stored = effectiveDefinitions(state, target);
  const held = knownIn(stored);
  const pushed = (kind: ListedKind) =>
    (push.get(kind) ?? []).flatMap((each) => (each.ok ? [{ id: each.put.id, definition: each.definition }] : []));
  const collections = pushed('collection');
  const byName = new Map(
    collections.flatMap(({ id, definition }) => [id, stringOf(nameOf(definition)) ?? id].map((name) => [lower(name), definition] as const)),
  );
  const workflows = new Map(pushed('workflow').map(({ id, definition }) => [id, definition]));
  const libraries = new Map(pushed('library').map(({ id, definition }) => [id, definition]));
  const isCallable = new Map(
    pushed('endpoint').flatMap(({ id, definition }) =>
      [id, slugOf(definition) ?? id].map((name) => [name, isInternal(definition)] as const),
    ),
  );
  const pushedValues = valuesWith(
    stored,
    collections.map(({ definition }) => definition),
    values,
  );
  const withBlocks = (id: string) => libraries.get(id) ?? workflows.get(id);
  const pushedNames = ({ kind, name }: MissingName): readonly string[] => {
    switch (kind) {
      case 'collection':
        return collections.flatMap(({ id, definition }) => [stringOf(nameOf(definition)) ?? id, id]);
      case 'endpoint':
        return [...isCallable.keys()];
      case 'callable':
        return [...workflows.keys(), ...[...isCallable].flatMap(([slug, callable]) => (callable ? [slug] : []))];
      case 'library':
        return [...libraries.keys()];
      case 'block':
        return blocksOf(withBlocks(libraryOf(name)), name);
      case 'table':
        return Object.keys(pushedValues());
      case 'value':
        return valuesLike(pushedValues(), name);
    }
  };
  return {
    collection: (name) => byName.has(lower(name)) || held.collection(name),
    playersCollection: (name) => {
      const pushedOne = byName.get(lower(name));
      return pushedOne === undefined ? held.playersCollection(name) : typeOfCollection(pushedOne) === 'per-platformid';
    },
    endpoint: (name) => isCallable.has(name) || held.endpoint(name),
    callable: (name) => workflows.has(name) || held.workflow(name) !== undefined || (isCallable.get(name) ?? held.callable(name)),
    workflow: (id) => workflows.get(id) ?? held.workflow(id),
    returns: (id) => (workflows.has(id) ? returnsOf(workflows.get(id)) : held.returns(id)),
    library: (id) => withBlocks(id) !== undefined || held.library(id),
    block: (name) => (withBlocks(libraryOf(name)) === undefined ? held.block(name) : blockIn(name, withBlocks)),
    table: (name) => Object.hasOwn(pushedValues(), name),
    value: (path) => hasValue(pushedValues(), path),
    closedSchema: (name) => {
      const pushedOne = byName.get(lower(name));
      return pushedOne === undefined ? held.closedSchema(name) : closedSchema(writtenSchema(pushedOne));
    },
    fields: (name) => {
      const pushedOne = byName.get(lower(name));
      return pushedOne === undefined ? held.fields(name) : fieldsOf(writtenSchema(pushedOne));
    },
    suggestion: suggestionsAmong((missing) => [...pushedNames(missing), ...namesIn(stored, missing)]),
  };
}

export function findingsOfItem(
  kind: ListedKind,
  fit: ValidItem,
  { known, budget, stored }: { readonly known: KnownByName; readonly budget: ParseBudget; readonly stored: StoredFindings | undefined },
): readonly Finding[] {
  return [...accessFindings(kind, fit), ...storedFindingsOf(kind, fit, stored), ...validationFindings(kind, fit, known, budget)];
}

function storedFindingsOf(kind: ListedKind, { put }: ValidItem, stored: StoredFindings | undefined): readonly Finding[] {
  return (kind === 'collection' ? stored?.get(put.id) : undefined) ?? [];
}

/** What a push takes away from those who keep callers out. A guard that was left out is reported as that alone. */
function accessFindings(kind: ListedKind, { definition, before, opens }: ValidItem): readonly Finding[] {
  const dropped = before === undefined || isRemoval(before) ? [] : droppedGuards(kind, objectOf(definitionOf(before)), definition);
  const told = new Set(dropped.map(({ pointer }) => pointer));
  return [...dropped, ...opens.map(widened).filter(({ pointer }) => !told.has(pointer))];
}

function widened({ member, message }: Widening): Finding {
  return { code: ACCESS_WIDENED, pointer: `/${member}`, message, fix: 'Nothing, if that is meant.' };
}

function validationFindings(
  kind: ListedKind,
  { definition, warnings }: ValidItem,
  known: KnownByName,
  budget: ParseBudget,
): readonly Finding[] {
  const compiled = warnings.map((warning) => ({ pointer: '', ...warning }));
  return withSuggestions(located(kind, definition, [...compiled, ...findingsOf(kind, definition, known)], budget), known);
}

/**
 * Most elements that are validated in a push. A larger push is validated only in a preflight: deciding takes one turn of the event loop,
 * for which the project's games wait.
 */
const MAX_VALIDATED = 100;
/** Most warnings per push. Nobody reads more. */
const MAX_WARNINGS = 500;
const MORE: Finding = {
  code: 'MORE_WARNINGS',
  pointer: '',
  message: `This push has more than ${MAX_WARNINGS} warnings; the rest are not listed.`,
  fix: 'Preflight the definitions in smaller parts.',
};

/** Gives the answer's member with an element's warnings; no member if there are none. */
export type Warn = (kind: ListedKind, fit: ValidItem) => WithDiagnostics;

/** No member if there are no warnings. */
interface WithDiagnostics {
  readonly diagnostics?: readonly Diagnostic[];
}

interface PushOptions {
  /** Game values in the same push. */
  readonly values?: Put | undefined;
  /** Validates all elements, so that no finding is missed. */
  readonly strict?: boolean;
  /** What is known of the documents of its collections. */
  readonly stored?: StoredFindings | undefined;
}

/**
 * Makes the function that gives an element's warnings. Dropped guards, widened access and documents that do not fit are always reported; of
 * other warnings the first {@link MAX_WARNINGS}.
 */
export function warner(
  state: DefinitionsState,
  target: PublishTarget,
  push: PushedKinds,
  { values, strict = false, stored }: PushOptions = {},
): Warn {
  const count = [...push.values()].reduce((sum, planned) => sum + planned.length, 0);
  const known = count > MAX_VALIDATED && !strict ? null : knownByName(state, target, push, values);
  const budget = new ParseBudget();
  let left = MAX_WARNINGS;
  const limited = (kind: ListedKind, fit: ValidItem): readonly Finding[] => {
    if (known === null || left < 0) return [];
    const all = validationFindings(kind, fit, known, budget);
    const listed = all.length > left ? [...all.slice(0, left), MORE] : all;
    left -= all.length;
    return listed;
  };
  return (kind, fit) => {
    const found = [...accessFindings(kind, fit), ...storedFindingsOf(kind, fit, stored), ...limited(kind, fit)];
    const { sourcePath: file }: Item = fit.definition;
    const sourcePath = stringOf(file) ?? '';
    return found.length === 0 ? {} : { diagnostics: warningsOf(found, { resourceKind: kind, resourceId: fit.put.id }, sourcePath) };
  };
}

/** Result of an element that was written. */
export function writtenResult(kind: ListedKind, fit: ValidItem, warn: Warn): PushedMany['results'][number] {
  return { ok: true, resourceKind: kind, resourceId: fit.put.id, action: 'upsert', ...warn(kind, fit) };
}

function slugOf({ slug }: Written<typeof endpoint>): string | undefined {
  return stringOf(slug);
}

function nameOf({ name }: Item): Json | undefined {
  return name;
}

const NO_STAMP = { version: null, updatedAt: null };

/**
 * The game values after a push: those of collections come before the document's. A document that is pushed replaces the stored one. They
 * are made when they are first asked for.
 */
function valuesWith(stored: EffectiveDefinitions, collections: readonly Written<typeof collection>[], document?: Put): () => JsonObject {
  const owners = collections.filter((each) => definesValues({ definition: each }));
  if (document === undefined && owners.length === 0) return () => stored.values.values;
  const make = () => {
    const held =
      document === undefined
        ? stored.values.values
        : gameValues(stored.collections.filter(definesValues), tryParseJson(document.text), NO_STAMP).values;
    const own = owners.map(
      ({ constants, tables }) => gameValues([], { groups: constants ?? null, tables: tables ?? null }, NO_STAMP).values,
    );
    return objectFrom([held, ...own].flatMap((each) => Object.entries(each)));
  };
  let made: JsonObject | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

function lower(text: string): string {
  return text.toLowerCase();
}
