import type * as contract from '../../contract/answers.ts';
import { EXPLAINING_KEYS, READ_DOCUMENTS } from '../../contract/credentials.ts';
import { visibleValues } from '../../domain/access/calls.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { beginning, called, definitionsNamed, type NamedDefinition } from '../../domain/definition/model/named.ts';
import { DOCUMENT_KEY, playerOfKey } from '../../domain/document/key.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { EVERY_PROJECT } from '../../domain/people/people.ts';
import { governs, managesIn } from '../../domain/people/power.ts';
import type { Personal } from '../../domain/personal/fields.ts';
import { allows } from '../../domain/project/permissions.ts';
import { documentSubject, uniqueSubject } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import { accessAt, hasNeed, requireNeed } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import { readDocument } from '../storage/documents.ts';
import { documentOf } from '../storage/query-runs.ts';
import { claimsOf, hashesOf } from '../storage/unique-claims.ts';

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

const SCOPE_OF: Readonly<Record<NamedDefinition['kind'], string>> = {
  collection: 'collections',
  endpoint: 'endpoints',
  workflow: 'workflows',
  library: 'workflows',
  board: 'queries',
  query: 'queries',
  value: 'game_values',
  rule: 'rate_limits',
};

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
    meanings: [...definitions(asked), ...keysLabelled(asked, access), ...(await peopleNamed(context, asked)), ...documents.meanings],
    personal: documents.personal,
  };
}

/** Definitions and game values, in live; else in what is staged. */
function definitions({ project, caller, held }: Asked): readonly Meaning[] {
  const meaning = ({ kind, target, ...named }: FoundDefinition): Meaning => {
    const text = `${SAYS[kind](named.part)}${target === undefined ? '' : ', staged and not in live'}`;
    return told(project, kind, text, { ...named, ...(target === undefined ? {} : { target }) }, linkOf(kind, named.id));
  };
  return definitionsFound(project, caller, called(held)).map(meaning);
}

type FoundDefinition = NamedDefinition & { readonly target?: 'next' };

function definitionsFound(project: Project, caller: Caller, wanted: Parameters<typeof definitionsNamed>[2]): readonly FoundDefinition[] {
  const [live, next] = [accessAt(project, caller, 'live'), accessAt(project, caller, 'next')];
  const of = (access: AccessContext) =>
    definitionsNamed(access.definitions, visibleValues(access, caller).values, wanted).filter(({ kind }) =>
      allows(access.key, SCOPE_OF[kind], 'r'),
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

/** Of a rule, the rules; of the limit of a field, the collection that has it. */
function linkOf(kind: NamedDefinition['kind'], id: string): Readonly<Record<string, string>> {
  const segment = encodeURIComponent(id);
  if (kind === 'value') return { history: `game-values/${segment}/history` };
  if (kind === 'rule') return { history: `definitions/rate-limit-rules/${encodeURIComponent('*')}/history` };
  return { history: `definitions/${kind === 'board' ? 'query' : kind}/${segment}/history` };
}

function keysLabelled({ project, held }: Asked, { key }: AccessContext): readonly Meaning[] {
  if (!allows(key, 'settings', 'r')) return [];
  const labelled = [...(project.authority?.keys.entries() ?? [])].filter(
    ([keyId, { label }]) => keyId !== held && label.toLowerCase() === held.toLowerCase(),
  );
  return labelled
    .slice(0, TOLD)
    .map(([id, { kind, label, enabled }]) =>
      told(
        project,
        'key',
        `A ${kind} key with this label, ${enabled ? 'enabled' : 'disabled'}`,
        { id, called: label },
        { commits: `commits?key=${encodeURIComponent(id)}` },
      ),
    );
}

/** By id, name or e-mail, to a person who manages them; the e-mail of a person alone whom the asker governs. */
async function peopleNamed({ people }: AppContext, { project, caller, held }: Asked): Promise<readonly Meaning[]> {
  const { kind, keyId: by } = caller.key;
  if (kind !== 'person') return [];
  const state = await people.current();
  if (!managesIn(state, by, project.id)) return [];
  const wanted = held.toLowerCase();
  const found = [...state.people.values()].filter((person) => {
    const isHere = governs(state, by, person) || person.roles.has(project.id) || person.roles.has(EVERY_PROJECT);
    const isCalledSo = person.id === held || person.name.toLowerCase() === wanted;
    return isHere && (isCalledSo || (person.email?.toLowerCase() === wanted && governs(state, by, person)));
  });
  return found.slice(0, TOLD).map(({ id, name }) => told(project, 'person', 'A person who may sign in', { id, called: name }, {}));
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
    meanings.push(documentMeaning(project, collection, key));
  }
  for (const { collection, field } of open) {
    for (const { key, isHeldBy } of await claimsOf({ project, space: 'live', collection }, field, held)) {
      const found = await readDocument(context, project, asked.caller, access, collection, key);
      if (found === null || !isHeldBy(documentOf(String(found.text), collection, access))) continue;
      meanings.push(documentMeaning(project, collection, key, field));
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

function documentMeaning(project: Project, { id, name, type }: CollectionModel, key: string, field?: string): Meaning {
  const player = type === 'global' ? '' : playerOfKey(key);
  const what = field === undefined ? `A document of ${name}` : `The value of ${field}, which one document of ${name} alone may have`;
  const address = [id, key].map(encodeURIComponent).join('/');
  const named = { id: key, collection: id, ...(field === undefined ? {} : { field }), ...(player === '' ? {} : { player }) };
  const links = { document: `/v3/storage/${encodeURIComponent(project.id)}/${address}` };
  return told(project, 'document', what, named, links);
}

function told(project: Project, is: Meaning['is'], text: string, named: Named, links: Readonly<Record<string, string>>): Meaning {
  const base = `/v3/manage/${encodeURIComponent(project.id)}/`;
  const whole = Object.entries(links).map(([name, path]) => [name, path.startsWith('/') ? path : `${base}${path}`]);
  return { is, text, named, commits: [], links: Object.fromEntries(whole) };
}
