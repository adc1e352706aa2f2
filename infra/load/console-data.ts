import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type RunningNode, savepoint } from '../harness/node.ts';
import {
  type Credentials,
  endpointPath,
  expectOk,
  managePath,
  openProject,
  type Project,
  parseCredentials,
  playerHeaders,
  secretHeaders,
  storagePath,
  type Target,
} from '../harness/project.ts';
import { collection, keyOf, MANY, rows, topOf } from './board-data.ts';
import { credentialsOf, newProject } from './prepare.ts';
import { progress } from './terminal.ts';

/** The data that `bench:console` looks at: a project with much of everything, and one for a game to play on. */

export interface Sizes {
  /** In one collection. */
  readonly documents: number;
  /** Ledger entries of one player. */
  readonly entries: number;
  /** Of a table of game values. */
  readonly rows: number;
}

/** What is in the data folder. */
export interface Filled {
  readonly sizes: Sizes;
  readonly credentials: Credentials;
  /** The project of the game that is played while consoles are open. */
  readonly game: Credentials;
  /** Revision at which the large document was whole, and not changed yet. */
  readonly whole: number;
  /** Revision of the publish of the table. */
  readonly published: number;
}

/** The player with the long ledger and the large document. */
export const HOT = keyOf(0);
export const BAGS = 'bags';
export const WARES = 'wares';
export const TOP = 'top';

/** So that a document may be as large as one can be. */
export const SETTINGS = { LIMIT_DOCUMENT: '1MiB', GROUP_BYTES: '4MiB' };

const NOTE = 'console.json';
const BYTES = 120;

/** What an earlier run left in the folder; `null`: nothing. Throws where something else is there. */
export async function filledIn(folder: string, sizes: Sizes): Promise<Filled | null> {
  const text = await readFile(join(folder, NOTE), 'utf8').catch(() => null);
  if (text === null) {
    if (existsSync(folder) && (await readdir(folder)).length > 0)
      throw new Error(`${folder} holds something else, or a fill that was cut off: remove it, or give another folder`);
    return null;
  }
  const found: Filled = JSON.parse(text);
  const said = ({ documents, entries, rows: ofTable }: Sizes) => `--documents ${documents} --entries ${entries} --rows ${ofTable}`;
  if (said(found.sizes) !== said(sizes)) throw new Error(`${folder} was filled with ${said(found.sizes)}: give these, or another folder`);
  return { ...found, credentials: parseCredentials(found.credentials), game: parseCredentials(found.game) };
}

const COLLECTIONS = [
  collection(MANY, { accessMode: 'public' }),
  collection(BAGS, { accessMode: 'public' }),
  collection('players', { accessMode: 'public', schema: { gold: { type: 'number', _ledger: true, _currency: 'gold' } } }),
];

/** Makes a data folder with a project of so many documents, without a node: this is how those of an older game come. */
export async function importDocuments(folder: string, documents: number): Promise<Credentials> {
  progress(`importing ${documents} documents`);
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'import.json');
  await pipeline(Readable.from(exported(documents)), createWriteStream(file));
  const { code, stdout, stderr } = await savepoint('project', 'import', file, '--as-new', 'Large', '--data', folder, '--json');
  if (code !== 0) throw new Error(`the import ended with ${code}: ${stdout}${stderr.slice(-2_000)}`);
  await rm(file);
  return parseCredentials(JSON.parse(stdout));
}

function* exported(documents: number): Generator<string> {
  const collections = COLLECTIONS.map((one) => ({ collection_id: one.id, definition_json: one }));
  const queries = [{ query_id: TOP, definition_json: topOf(TOP, MANY) }];
  yield `{"export_version":1,"project_id":"large","tables":{"collections":${JSON.stringify(collections)},"queries":${JSON.stringify(queries)},"records":{"${MANY}":[`;
  yield* rows(documents, BYTES);
  yield ']}}}';
}

/** Does the rest over HTTP, as a game and its makers do. */
export async function fill(node: RunningNode, credentials: Credentials, sizes: Sizes): Promise<Filled> {
  const project = openProject(node.url, credentials);
  try {
    progress('a large document');
    const whole = await writeDocument(project);
    progress(`a table of ${sizes.rows} rows`);
    const published = await push(project, 'game-values?message=Wares', [wares(sizes.rows, 0)]);
    await push(project, 'game-values?message=Dearer', [wares(sizes.rows, 7)], 'next');
    await push(project, 'endpoints?message=Gift', [GIFT]);
    progress(`a ledger of ${sizes.entries} entries`);
    await each(sizes.entries, (index) => operate(project, 'players', [paid(index)]));
    await each(CALLS, (index) => call(project, keyOf(index % CALLERS)));
    const game = await newProject(node, 'Game');
    game.http.close();
    const filled = { sizes, credentials, game: credentialsOf(game), whole, published };
    await writeFile(join(node.dataFolder, NOTE), JSON.stringify(filled));
    return filled;
  } finally {
    project.http.close();
  }
}

const AT_ONCE = 48;

async function each(count: number, ask: (index: number) => Promise<unknown>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const asker = async () => {
    for (const index of numbers) await ask(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, asker));
}

const PARTS = 4;
const ITEMS_OF_PART = 2_200;
const GRADES = ['common', 'rare', 'epic'];

/** About 0.9 MB, which no single request may carry; then every item changes. Resolves to the revision at which it was whole. */
async function writeDocument(project: Project): Promise<number> {
  let whole = 0;
  for (const salt of [0, 5]) {
    for (let part = 0; part < PARTS; part += 1) {
      const written = await operate(project, BAGS, [{ op: 'set', path: `part${part}`, value: itemsOf(part, salt) }]);
      if (salt === 0) whole = written;
    }
  }
  for (let item = 0; item < 12; item += 1)
    await operate(project, BAGS, [{ op: 'set', path: `part0.item${item}.count`, value: 1_000 + item }]);
  return whole;
}

function itemsOf(part: number, salt: number): object {
  const items = Array.from({ length: ITEMS_OF_PART }, (_, place) => {
    const index = part * ITEMS_OF_PART + place;
    const stats = { power: (index * 31 + salt) % 1_000, weight: index % 50 };
    const maker = `smith of the ${index % 13} mountain`;
    return [`item${index}`, { count: (index * 7 + salt) % 97, grade: GRADES[(index + salt) % GRADES.length], maker, stats }];
  });
  return Object.fromEntries(items);
}

function paid(index: number): object {
  return { op: 'inc', path: 'gold', value: 1 + (index % 5), source: 'quest', reason: `quest ${index % 17}` };
}

/** Resolves to the revision of the write. */
async function operate(project: Project, of: string, ops: readonly object[]): Promise<number> {
  const write = project.http.send('POST', storagePath(project, `${of}/${HOT}`), { headers: secretHeaders(project), body: { ops } });
  return positionOf(await expectOk(`a write to ${of}`, write));
}

function wares(count: number, dearer: number): object {
  const column = (key: string, type: string, more: object = {}) => ({ key, type, ...more });
  const columns = [
    column('id', 'string'),
    column('name', 'string'),
    column('price', 'number', { min: 0, max: 100_000 }),
    column('grade', 'string'),
    column('sold', 'boolean'),
  ];
  const rowOf = (index: number) => ({
    id: `ware-${index}`,
    name: `ware of the ${index} kind`,
    price: ((index * 3) % 900) + dearer,
    grade: GRADES[index % GRADES.length],
    sold: index % 2 === 0,
  });
  return { id: WARES, type: 'table', name: 'Wares', columns, rows: Array.from({ length: count }, (_, index) => rowOf(index)) };
}

/** Calls of the endpoint, a few of each of some players. */
const CALLS = 200;
const CALLERS = 50;
export const GIFT = {
  id: 'gift',
  slug: 'gift',
  description: 'Gold.',
  steps: [
    {
      id: 'give',
      type: 'write',
      collection: 'players',
      key: '{{platformId}}',
      ops: [{ op: 'inc', path: 'gold', value: 1, source: 'gift' }],
    },
  ],
  response: { status: 200, body: { ok: true } },
};

function call(project: Project, player: string): Promise<unknown> {
  const sent = { headers: playerHeaders(project, player), body: {} };
  return expectOk('a call', project.http.send('POST', endpointPath(project, GIFT.slug), sent));
}

/** Resolves to the revision of the publish. */
async function push(project: Project, route: string, body: unknown, target: Target = 'live'): Promise<number> {
  const sent = project.http.send('POST', managePath(project, route), { headers: secretHeaders(project, target), body });
  return positionOf(await expectOk(`POST ${route}`, sent));
}

function positionOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): number {
  return Number(headers['x-ns-position']);
}
