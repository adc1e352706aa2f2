import type * as contract from '../../contract/answers.ts';
import { EXPLAINING_KEYS, READ_DOCUMENTS } from '../../contract/credentials.ts';
import { visibleValues } from '../../domain/access/calls.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { definitionsNamed, type Fit, holding, type NamedDefinition } from '../../domain/definition/model/named.ts';
import { DOCUMENT_KEY, playerOfKey } from '../../domain/document/key.ts';
import { type DefinitionKind, SINGLE_ID } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { EVERY_PROJECT } from '../../domain/people/people.ts';
import { governs, seesRolesIn } from '../../domain/people/power.ts';
import type { Personal } from '../../domain/personal/fields.ts';
import { allows, scopesOf } from '../../domain/project/permissions.ts';
import { documentSubject, uniqueSubject } from '../../domain/subjects.ts';
import { storedTests } from '../../domain/test/model.ts';
import { refusal } from '../../kernel/errors.ts';
import { accessAt, hasNeed, requireNeed } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import { readDocument } from '../storage/documents.ts';
import { documentOf } from '../storage/query-runs.ts';
import { claimsOf, hashesOf } from '../storage/unique-lookup.ts';
import { type Links, linksFor, toCommits, toDocument, toHistory } from './links.ts';
import { holderOf } from './uses.ts';

/**
 * What has a name or a value: definitions and game values, which are in memory, people, and documents that are found by their key or by a
 * value that one of them alone may have. Nothing is looked through, and everything is told to whoever may read it alone.
 */

type Meaning = contract.Explained['meanings'][number];
type Named = NonNullable<Meaning['named']>;
type Names = Pick<contract.NamesFound, 'names' | 'more'>;

interface Asked {
  readonly project: Project;
  readonly caller: Caller;
  readonly held: string;
  /** What is masked for whoever asks; `null`: nothing. */
  readonly hidden: Personal | null;
}

export interface NamedSo {
  readonly meanings: readonly Meaning[];
  /** Unique fields that were not looked in, because they are personal: whether a value is there would tell it. */
  readonly personal: readonly { readonly collection: string; readonly field: string }[];
  /** What has it in its id or name, and is not called so. */
  readonly alike: Names;
}

/** Unique fields and global collections that are looked in. */
const FIELDS = 50;
const COLLECTIONS = 50;
/** Keys with one label, and people with one name, that are told. */
const TOLD = 5;

/** As what it is defined. The limit that a field has itself stands in its collection. */
const DEFINED_AS: Readonly<Record<NamedDefinition['kind'], DefinitionKind>> = {
  collection: 'collection',
  endpoint: 'endpoint',
  workflow: 'workflow',
  library: 'library',
  board: 'query',
  query: 'query',
  value: 'game-values',
  rule: 'rate-limit-rules',
  test: 'tests',
};

function definedAs({ kind, part }: Pick<NamedDefinition, 'kind' | 'part'>): DefinitionKind {
  return kind === 'rule' && part !== undefined ? 'collection' : DEFINED_AS[kind];
}

const SAYS: Readonly<Record<NonNullable<NamedDefinition['what']> | NamedDefinition['kind'], string>> = {
  collection: 'A collection',
  endpoint: 'An endpoint',
  workflow: 'A workflow',
  library: 'A library of blocks',
  block: 'A block of a library',
  board: 'A leaderboard',
  query: 'A query',
  value: 'Game values',
  group: 'A group of game values',
  table: 'A table of game values',
  entry: 'An entry of a group of game values',
  row: 'A row of a table of game values',
  column: 'A column of a table of game values',
  rule: 'A rate-limit rule',
  field: 'The limit that a field of a collection has itself',
  test: 'A saved test',
};

export async function namedSo(context: AppContext, asked: Asked): Promise<NamedSo> {
  const access = accessAt(asked.project, asked.caller, 'live');
  const { called, alike } = definitionsFound(asked.project, asked.caller, asked.held);
  const documents = hasNeed(access.key, READ_DOCUMENTS) ? await documentsNamed(context, asked, access) : { meanings: [], personal: [] };
  return {
    meanings: [
      ...called.map((each) => definitionMeaning(asked, each)),
      ...keysLabelled(asked, access),
      ...(await peopleNamed(context, asked, access)),
      ...documents.meanings,
    ],
    personal: documents.personal,
    alike: asked.held.length < SHORTEST ? { names: [] } : namesTold(alike),
  };
}

/** A definition or a game value, in live; else in what is staged. */
function definitionMeaning({ project, caller }: Asked, { kind, target, fit: _, ...named }: FoundDefinition): Meaning {
  const text = `${SAYS[named.what ?? kind]}${target === undefined ? '' : ', staged and not in live'}`;
  const access = accessAt(project, caller, target ?? 'live');
  const staged = target === undefined ? {} : { target };
  return told(project, access, kind, text, { ...named, ...staged }, linksOf(access, { kind, ...named }));
}

interface FoundDefinition extends NamedDefinition {
  readonly fit: Fit;
  readonly target?: 'next';
}

/** All that is called so, and all that has it in its name: what fits best first, each if whoever asks may read its kind. */
function definitionsFound(
  project: Project,
  caller: Caller,
  typed: string,
): { readonly called: readonly FoundDefinition[]; readonly alike: readonly FoundDefinition[] } {
  const [live, next] = [accessAt(project, caller, 'live'), accessAt(project, caller, 'next')];
  const wanted = holding(typed);
  const of = (access: AccessContext) =>
    definitionsNamed(
      { definitions: access.definitions, values: visibleValues(access, caller).values, tests: storedTests(access.state) },
      wanted,
      NAMES + 1,
    ).filter((each) => scopesOf(definedAs(each)).every((scope) => allows(access.key, scope, 'r')));
  const found: FoundDefinition[] = [...of(live)];
  if (next.definitions !== live.definitions) {
    const nameOf = ({ kind, id, part, what }: NamedDefinition) => JSON.stringify([kind, id, part, what]);
    const known = new Set(found.map(nameOf));
    const staged = of(next).filter((each) => !known.has(nameOf(each)));
    found.push(...staged.map((each): FoundDefinition => ({ ...each, target: 'next' })));
    found.sort((one, other) => one.fit - other.fit);
  }
  return { called: bounded(found.filter(({ fit }) => fit === 0)).told, alike: found.filter(({ fit }) => fit > 0) };
}

/** Names of each kind that are told, characters that one is looked for by, at least and at most. */
const NAMES = 20;
const SHORTEST = 2;
const LONGEST = 128;

/** So many of each kind, and the kinds of which there are more. */
function bounded(found: readonly FoundDefinition[]): {
  readonly told: readonly FoundDefinition[];
  readonly more: NonNullable<Names['more']>;
} {
  const counts = new Map<NonNullable<Names['more']>[number], number>();
  const told = found.filter(({ kind, what = kind }) => {
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return count <= NAMES;
  });
  return { told, more: [...counts].flatMap(([kind, count]) => (count > NAMES ? [kind] : [])) };
}

function namesTold(found: readonly FoundDefinition[]): Names {
  const { told, more } = bounded(found);
  const names = told.map(({ kind, fit: _, ...named }) => ({ is: kind, named }));
  return { names, ...(more.length === 0 ? {} : { more }) };
}

/** Definitions and game values that have a text in their id or name. Throws 400 INVALID_REQUEST. */
export type FindNames = (caller: Caller, text: string) => Promise<ManageAnswer<contract.NamesFound>>;

export function createFindNames(context: AppContext): FindNames {
  return async (caller, text) => {
    const project = await projectOf(context, caller);
    requireNeed(accessAt(project, caller, 'live').key, EXPLAINING_KEYS.needs);
    const typed = text.trim();
    if (typed === '' || typed.length > LONGEST) throw refusal('INVALID_REQUEST', `\`holds\` is a text of 1 to ${LONGEST} characters`);
    const { called, alike } = definitionsFound(project, caller, typed);
    return { ...positioned(context, project, caller), result: { ok: true, ...namesTold([...called, ...alike]) } };
  };
}

/** Where it is listed, and what it was. */
function linksOf({ key, target, definitions }: AccessContext, named: NamedDefinition): Links {
  const { kind, id } = named;
  const holder = kind === 'value' ? holderOf(definitions, id).kind : definedAs(named);
  const staged = target === 'next' ? '?revisionTarget=next' : '';
  const segment = encodeURIComponent(holder === 'rate-limit-rules' || holder === 'tests' ? SINGLE_ID : id);
  const path = kind === 'value' ? `game-values/${segment}/history` : `definitions/${holder}/${segment}/history`;
  return {
    definitions: { path: `${LISTED_AT[holder]}${staged}`, need: { scopes: scopesOf(holder), level: 'r' } },
    history: toHistory(key, path, [...new Set([...scopesOf(definedAs(named)), ...scopesOf(holder)])]),
  };
}

/** Where definitions of a kind are listed. */
const LISTED_AT = {
  collection: 'collections',
  endpoint: 'endpoints',
  workflow: 'workflows',
  library: 'libraries',
  query: 'queries',
  'game-values': 'game-values',
  'rate-limit-rules': 'rate-limit-rules',
  tests: 'tests',
} as const satisfies Readonly<Record<DefinitionKind, string>>;

function keysLabelled({ project, held }: Asked, access: AccessContext): readonly Meaning[] {
  const { key } = access;
  if (!allows(key, 'settings', 'r')) return [];
  const labelled = [...(project.authority?.keys.entries() ?? [])].filter(
    ([keyId, { label }]) => keyId !== held && label.toLowerCase() === held.toLowerCase(),
  );
  return labelled
    .slice(0, TOLD)
    .map(([id, { kind, label, enabled }]) =>
      told(
        project,
        access,
        'key',
        `A ${kind} key with this label, ${enabled ? 'enabled' : 'disabled'}`,
        { id, called: label },
        { commits: toCommits({ key: id }) },
      ),
    );
}

/** By id, name or e-mail, to a person who is told who has which role; the e-mail of a person alone whom the asker governs. */
async function peopleNamed({ people }: AppContext, { project, caller, held }: Asked, access: AccessContext): Promise<readonly Meaning[]> {
  const { kind, keyId: by } = caller.key;
  if (kind !== 'person') return [];
  const state = await people.current();
  if (!seesRolesIn(state, by, project.id)) return [];
  const wanted = held.toLowerCase();
  const found = [...state.people.values()].filter((person) => {
    const isHere = governs(state, by, person) || person.roles.has(project.id) || person.roles.has(EVERY_PROJECT);
    const isCalledSo = person.id === held || person.name.toLowerCase() === wanted;
    return isHere && (isCalledSo || (person.email?.toLowerCase() === wanted && governs(state, by, person)));
  });
  return found.slice(0, TOLD).map(({ id, name }) => told(project, access, 'person', 'A person who may sign in', { id, called: name }, {}));
}

/** `collection/key`, the key alone in global collections, and values of unique fields. */
async function documentsNamed(context: AppContext, asked: Asked, access: AccessContext): Promise<Omit<NamedSo, 'alike'>> {
  const { project, held, hidden } = asked;
  const { collections } = access.definitions;
  const addresses = addressesOf(access, held);
  const fields = collections.flatMap((collection) => collection.schema.unique.map(({ path }) => ({ collection, field: path })));
  const isPersonal = ({ collection, field }: (typeof fields)[number]) => hidden?.isNamedIn(field, collection.id) === true;
  const open = fields.filter((each) => !isPersonal(each)).slice(0, FIELDS);
  // One round trip for all of them.
  await project.load([
    ...addresses.map(({ collection, key }) => documentSubject('live', collection.id, key)),
    ...open.flatMap(({ collection, field }) =>
      hashesOf(collection.schema, field, held).map((hash) => uniqueSubject('live', collection.id, hash)),
    ),
  ]);
  const meanings: Meaning[] = [];
  for (const { collection, key } of addresses) {
    if ((await readDocument(context, project, asked.caller, access, collection, key)) === null) continue;
    meanings.push(documentMeaning(project, access, collection, key));
  }
  for (const { collection, field } of open) {
    for (const { key, isHeldBy } of await claimsOf({ project, space: 'live', collection }, field, held)) {
      const found = await readDocument(context, project, asked.caller, access, collection, key);
      if (found === null || !isHeldBy(documentOf(String(found.text), collection, access))) continue;
      meanings.push(documentMeaning(project, access, collection, key, field));
    }
  }
  const personal = fields.filter(isPersonal).map(({ collection, field }) => ({ collection: collection.id, field }));
  return { meanings, personal: personal.slice(0, FIELDS) };
}

/** Where a document may stand that is held by its key. The key of a player's document is the player's id, which is explained as such. */
function addressesOf({ definitions }: AccessContext, held: string): readonly { collection: CollectionModel; key: string }[] {
  const slash = held.indexOf('/');
  const key = held.slice(slash + 1);
  if (!DOCUMENT_KEY.test(key)) return [];
  if (slash >= 0) {
    const collection = definitions.collection(held.slice(0, slash));
    return collection === undefined ? [] : [{ collection, key }];
  }
  const shared = definitions.collections.filter(({ type }) => type === 'global');
  return shared.slice(0, COLLECTIONS).map((collection) => ({ collection, key }));
}

function documentMeaning(
  project: Project,
  access: AccessContext,
  { id, name, type }: CollectionModel,
  key: string,
  field?: string,
): Meaning {
  const player = type === 'global' ? '' : playerOfKey(key);
  // A document tells of its collection the id alone.
  const of = allows(access.key, 'collections', 'r') ? name : id;
  const what = field === undefined ? `A document of ${of}` : `The value of ${field}, which one document of ${of} alone may have`;
  const address = [id, key].map(encodeURIComponent).join('/');
  const named = { id: key, collection: id, ...(field === undefined ? {} : { field }), ...(player === '' ? {} : { player }) };
  return told(project, access, 'document', what, named, toDocument(access.key, `/v3/storage/${encodeURIComponent(project.id)}/${address}`));
}

function told(project: Project, { key }: AccessContext, is: Meaning['is'], text: string, named: Named, links: Links): Meaning {
  return { is, text, named, commits: [], links: linksFor(project.id, key, links) };
}
