import type * as contract from '../../contract/answers.ts';
import { EXPLAINING_KEYS, READ_DOCUMENTS } from '../../contract/credentials.ts';
import { visibleValues } from '../../domain/access/calls.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { beginning, called, definitionsNamed, type NamedDefinition } from '../../domain/definition/model/named.ts';
import { DOCUMENT_KEY, playerOfKey } from '../../domain/document/key.ts';
import { type DefinitionKind, SINGLE_ID } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { EVERY_PROJECT } from '../../domain/people/people.ts';
import { governs, seesRolesIn } from '../../domain/people/power.ts';
import type { Personal } from '../../domain/personal/fields.ts';
import { allows, scopesOf } from '../../domain/project/permissions.ts';
import { documentSubject, uniqueSubject } from '../../domain/subjects.ts';
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
};

function definedAs({ kind, part }: Pick<NamedDefinition, 'kind' | 'part'>): DefinitionKind {
  return kind === 'rule' && part !== undefined ? 'collection' : DEFINED_AS[kind];
}

const SAYS: Readonly<Record<NamedDefinition['kind'], (part: string | undefined) => string>> = {
  collection: () => 'A collection',
  endpoint: () => 'An endpoint',
  workflow: () => 'A workflow',
  library: (block) => (block === undefined ? 'A library of blocks' : 'A block of a library'),
  board: () => 'A leaderboard',
  query: () => 'A query',
  value: (part) => (part === undefined ? 'A group or table of game values' : 'An entry or a row of game values'),
  rule: (field) => (field === undefined ? 'A rate-limit rule' : 'The limit that a field of a collection has itself'),
};

export async function namedSo(context: AppContext, asked: Asked): Promise<NamedSo> {
  const access = accessAt(asked.project, asked.caller, 'live');
  const documents = hasNeed(access.key, READ_DOCUMENTS) ? await documentsNamed(context, asked, access) : { meanings: [], personal: [] };
  return {
    meanings: [
      ...definitions(asked),
      ...keysLabelled(asked, access),
      ...(await peopleNamed(context, asked, access)),
      ...documents.meanings,
    ],
    personal: documents.personal,
  };
}

/** Definitions and game values, in live; else in what is staged. */
function definitions(asked: Asked): readonly Meaning[] {
  const { project, caller, held } = asked;
  const meaning = ({ kind, target, ...named }: FoundDefinition): Meaning => {
    const text = `${SAYS[kind](named.part)}${target === undefined ? '' : ', staged and not in live'}`;
    const access = accessAt(project, caller, target ?? 'live');
    return told(
      project,
      access,
      kind,
      text,
      { ...named, ...(target === undefined ? {} : { target }) },
      linksOf(access, { kind, ...named }),
    );
  };
  return definitionsFound(project, caller, called(held)).map(meaning);
}

type FoundDefinition = NamedDefinition & { readonly target?: 'next' };

function definitionsFound(project: Project, caller: Caller, wanted: Parameters<typeof definitionsNamed>[2]): readonly FoundDefinition[] {
  const [live, next] = [accessAt(project, caller, 'live'), accessAt(project, caller, 'next')];
  const of = (access: AccessContext) =>
    definitionsNamed(access.definitions, visibleValues(access, caller).values, wanted).filter((each) =>
      scopesOf(definedAs(each)).every((scope) => allows(access.key, scope, 'r')),
    );
  const found = of(live);
  if (next.definitions === live.definitions) return found;
  const nameOf = ({ kind, id, part }: NamedDefinition) => JSON.stringify([kind, id, part]);
  const known = new Set(found.map(nameOf));
  const staged = of(next).filter((each) => !known.has(nameOf(each)));
  return [...found, ...staged.map((each): FoundDefinition => ({ ...each, target: 'next' }))];
}

/** Definitions and game values in whose name a word begins so. Throws 400 INVALID_REQUEST. */
export type FindNames = (caller: Caller, begins: string) => Promise<ManageAnswer<contract.NamesFound>>;

/** Names that are told at once, and characters that one may begin with. */
const NAMES = 20;
const MAX_BEGIN = 128;

export function createFindNames(context: AppContext): FindNames {
  return async (caller, begins) => {
    const project = await projectOf(context, caller);
    requireNeed(accessAt(project, caller, 'live').key, EXPLAINING_KEYS.needs);
    const typed = begins.trim();
    if (typed === '' || typed.length > MAX_BEGIN) throw refusal('INVALID_REQUEST', `\`begins\` is a text of 1 to ${MAX_BEGIN} characters`);
    const found = definitionsFound(project, caller, beginning(typed));
    const isFirst = ({ id, called: name = '', part }: NamedDefinition) =>
      (part === undefined ? [id, name] : [part]).some((text) => text.toLowerCase().startsWith(typed.toLowerCase()));
    const names = [...found.filter(isFirst), ...found.filter((each) => !isFirst(each))].slice(0, NAMES);
    return {
      ...positioned(context, project, caller),
      result: { ok: true, names: names.map(({ kind, ...named }) => ({ is: kind, named })) },
    };
  };
}

/** Where it is listed, and what it was. */
function linksOf({ key, target, definitions }: AccessContext, named: NamedDefinition): Links {
  const { kind, id } = named;
  const holder = kind === 'value' ? holderOf(definitions, id).kind : definedAs(named);
  const staged = target === 'next' ? '?revisionTarget=next' : '';
  const segment = encodeURIComponent(holder === 'rate-limit-rules' ? SINGLE_ID : id);
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
async function documentsNamed(context: AppContext, asked: Asked, access: AccessContext): Promise<NamedSo> {
  const { project, held, hidden } = asked;
  const { collections } = access.definitions;
  const addresses = addressesOf(access, held);
  const fields = collections.flatMap((collection) => collection.schema.unique.map(({ path }) => ({ collection, field: path })));
  const isPersonal = ({ field }: { readonly field: string }) => hidden?.isNamedIn(field) === true;
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
