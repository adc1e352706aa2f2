import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { effectiveDefinitions } from '../definition/model/effective.ts';
import { type Entry, entriesOf } from '../definition/model/overlay.ts';
import type { CollectionModel, FieldModel, PersonalPath } from '../model.ts';
import type { DefinitionsState } from '../states.ts';
import type { Mark } from './marks.ts';
import { printsWhole } from './opaque.ts';
import { namesOf, says, Words, withThoseThatSay } from './words.ts';

/** Which values of a game are personal (`_personal` in schemas), and which definitions tell of them. */
export interface Personal {
  /** Paths in the documents of a collection, by its id or name; `null`: of every collection. */
  in(collection: string | null): readonly PersonalPath[];
  /** Whether a text names a personal field. `collection`: whose field it is, if it is known to be one; see {@link isOpen}. */
  isNamedIn(text: string, collection?: string): boolean;
  /** Whether members of any name are personal in the documents of a collection, by its id or name: no text tells which. */
  isOpen(collection: string): boolean;
  /** Whether a query shows or orders by one, by its id or name. */
  isShownBy(query: string): boolean;
  /** Whether an endpoint handles one, by its slug: what it answers may be made of it. */
  isHandledBy(endpoint: string): boolean;
  /** Whether amounts of a currency are, or may be, sums of one. */
  isCurrency(currency: string): boolean;
  /** Whether the ledger of a collection, by its id or name, follows one. */
  isFollowedIn(collection: string): boolean;
  /** Whether what a rate-limit rule counts is, or may be, how much one grew: by its name, as flags have it. */
  isCountedBy(rule: string): boolean;
}

const known = new WeakMap<DefinitionsState, { readonly earlier: readonly Mark[]; readonly personal: Personal | null }>();

/**
 * What is personal in live or in what is staged; `null`: nothing. What an earlier schema marked and live no longer describes stays
 * personal: documents and their history still hold it.
 */
export function personalIn(state: DefinitionsState, earlier: readonly Mark[] = []): Personal | null {
  const before = known.get(state);
  if (before?.earlier === earlier) return before.personal;
  const personal = personalOf(state, earlier);
  known.set(state, { earlier, personal });
  return personal;
}

const TARGETS = ['live', 'next'] as const;

/** A collection by which its documents are found, and what is personal in them. */
interface Marked {
  readonly names: readonly string[];
  readonly personal: readonly PersonalPath[];
  /** Of its personal numbers with a ledger. */
  readonly currencies: readonly string[];
}

/** What the schemas of live and of what is staged mark. */
export function marksIn(state: DefinitionsState): readonly Mark[] {
  return TARGETS.flatMap((target) => effectiveDefinitions(state, target).collections).flatMap(marksOf);
}

function marksOf({ id, schema }: CollectionModel): readonly Mark[] {
  return schema.personal.map((path) => ({ collection: id, path }));
}

function personalOf(state: DefinitionsState, earlier: readonly Mark[]): Personal | null {
  const collections = [
    ...TARGETS.flatMap((target) => effectiveDefinitions(state, target).collections).map(marked),
    ...left(state, earlier),
  ];
  const all = distinct(collections.flatMap(({ personal }) => personal));
  if (all.length === 0) return null;
  const fields = all.flatMap((path) => path.findLast((part) => part !== '*') ?? []);
  const words = new Words(fields);
  const open = collections.filter(({ personal }) => personal.some(isNameless));
  const of = (kind: Entry['kind']) => TARGETS.flatMap((target) => entriesOf(state, target, kind));
  const called = [...of('workflow'), ...of('library')];
  const queries = withThoseThatSay(new Words(fields), of('query'));
  const openQueries = withThoseThatSay(new Words(namesIn(open), true), of('query'));
  const handling = withThoseThatSay(withThoseThatSay(new Words(fields), called), of('endpoint'));
  const openHandling = open.length === 0 ? new Words([]) : reachingThem(of('endpoint'), called, open);
  const whole = wholesIn(of('endpoint'), called, collections);
  const currencies = [...new Set(collections.flatMap((each) => each.currencies))];
  const rules = TARGETS.flatMap((target) => effectiveDefinitions(state, target).rules);
  const isOpen = (collection: string) => foundIn(collections, collection).some(({ personal }) => personal.some(isNameless));
  return {
    in: (collection) => (collection === null ? all : pathsIn(collections, collection)),
    isNamedIn: (text, collection) => (collection !== undefined && isOpen(collection)) || says(text, words),
    isOpen,
    isShownBy: (query) => queries.has(query) || openQueries.has(query),
    isHandledBy: (endpoint) => handling.has(endpoint) || openHandling.has(endpoint) || whole.has(endpoint),
    isCountedBy: (rule) => {
      const named = rules.filter(({ name }) => name === rule);
      // What a rule counted that there is no more is not known.
      return (
        named.length === 0 || named.some(({ collection, field }) => pathsIn(collections, collection).some((path) => meets(path, field)))
      );
    },
    isFollowedIn: (collection) => foundIn(collections, collection).some((each) => each.currencies.length > 0),
    isCurrency: (currency) => currencies.some((own) => own === currency || (own.endsWith('.') && currency.startsWith(own))),
  };
}

function marked({ id, name, schema }: CollectionModel): Marked {
  const currencies = schema.root === null ? [] : currenciesIn(schema.root, id, false);
  return { names: [id.toLowerCase(), name.toLowerCase()], personal: schema.personal, currencies };
}

/** What earlier schemas marked that live does not describe: it says otherwise of a field that it describes. */
function left(state: DefinitionsState, earlier: readonly Mark[]): readonly Marked[] {
  const live = new Map(effectiveDefinitions(state, 'live').collections.map(({ id, schema }) => [id, schema.root]));
  return earlier.flatMap(({ collection, path }) => {
    const root = live.get(collection) ?? null;
    if (root !== null && describes(root, path)) return [];
    const own = [collection, ...namesBefore(path)].join('.');
    return [{ names: [collection.toLowerCase()], personal: [path], currencies: [own, `${own}.`] }];
  });
}

/** Whether a field, by its dotted path, is personal, stands in what is, or holds some. Writes are counted of no field. */
function meets(path: PersonalPath, field: string): boolean {
  const names = field.split('.');
  return field !== '*' && path.every((part, at) => part === '*' || names[at] === undefined || part === names[at]);
}

/** The names of a path down to the first that is any. */
function namesBefore(path: PersonalPath): PersonalPath {
  const any = path.indexOf('*');
  return any === -1 ? path : path.slice(0, any);
}

/** Currencies of numbers with a ledger that are personal, or stand in what is. One that ends with a dot is of any member below. */
function currenciesIn(field: FieldModel, path: string, isPersonal: boolean): readonly string[] {
  const here = isPersonal || field.personal;
  const own = here && field.ledger ? [field.currency ?? path] : [];
  const named = [...(field.properties ?? [])].flatMap(([name, child]) => currenciesIn(child, `${path}.${name}`, here));
  const { additional } = field;
  if (typeof additional !== 'object') return [...own, ...named];
  const any = currenciesIn(additional, path, here).map((currency) => (currency.startsWith(path) ? `${path}.` : currency));
  return [...own, ...named, ...any];
}

function describes(field: FieldModel, [first, ...rest]: PersonalPath): boolean {
  if (first === undefined) return true;
  const children = first === '*' ? [field.items, field.additional] : [field.properties?.get(first)];
  return children.some((child) => typeof child === 'object' && describes(child, rest));
}

function pathsIn(collections: readonly Marked[], idOrName: string): readonly PersonalPath[] {
  return distinct(foundIn(collections, idOrName).flatMap(({ personal }) => personal));
}

/** A collection that is not known is read as any. */
function foundIn(collections: readonly Marked[], idOrName: string): readonly Marked[] {
  const wanted = idOrName.toLowerCase();
  const found = collections.filter(({ names }) => names.includes(wanted));
  return found.length === 0 ? collections : found;
}

/** Any member of a document, whatever it is called. */
function isNameless(path: PersonalPath): boolean {
  return path.every((part) => part === '*');
}

/** By what collections are named that hold something personal. */
function namesIn(collections: readonly Marked[]): readonly string[] {
  return collections.flatMap(({ names, personal }) => (personal.length === 0 ? [] : names));
}

function distinct(paths: readonly PersonalPath[]): readonly PersonalPath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/**
 * Slugs and ids of endpoints that may tell of personal values without naming one: they reach documents that hold some, and print whole
 * ones, or read members by computed names; or they call one that does.
 */
function wholesIn(endpoints: readonly Entry[], called: readonly Entry[], collections: readonly Marked[]): Words {
  const reaching = withThoseThatSay(new Words(namesIn(collections), true), called);
  const printing = withThoseThatSay(new Words(called.filter(({ value }) => printsWhole(value)).flatMap(namesOf)), called);
  const telling = endpoints.filter(
    ({ value }) => (printsWhole(value) || says(value, printing)) && (says(value, reaching) || reachesAny(value)),
  );
  return withThoseThatSay(new Words(telling.flatMap(namesOf)), endpoints);
}

/** Slugs and ids of endpoints that reach these collections: whatever they read there is personal. */
function reachingThem(endpoints: readonly Entry[], called: readonly Entry[], collections: readonly Marked[]): Words {
  const anywhere = (entries: readonly Entry[]) => entries.filter(({ value }) => reachesAny(value)).flatMap(namesOf);
  const reaching = withThoseThatSay(new Words([...namesIn(collections), ...anywhere(called)], true), called);
  const telling = endpoints.filter(({ value }) => says(value, reaching) || reachesAny(value));
  return withThoseThatSay(new Words(telling.flatMap(namesOf)), endpoints);
}

/** Whether a step names its collection by a template. */
function reachesAny(value: Json): boolean {
  if (isArray(value)) return value.some(reachesAny);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, member]) => (name === 'collection' && typeof member === 'string' && member.includes('{{')) || reachesAny(member),
  );
}
