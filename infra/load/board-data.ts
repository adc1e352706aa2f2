import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { savepoint } from '../harness/node.ts';
import { type Credentials, parseCredentials } from '../harness/project.ts';

/** The documents of `bench:board`. They are imported, like those of an older game. */

/** This collection starts without a board or list. */
export const MANY = 'many';
/** This collection has a board from its first document on. It shows the disk space of a board that grew with its data. */
export const GROWN = 'grown';
/** The disk space of a row depends little on the number of rows, so this many are enough. */
const MAX_GROWN = 100_000;

export interface Prepared {
  readonly credentials: Credentials;
  readonly documents: number;
  readonly grown: number;
  readonly bytes: number;
  /** The time that the import took. */
  readonly seconds: number;
}

const NOTE = 'prepared.json';

export function keyOf(index: number): string {
  return `76561197${String(index).padStart(9, '0')}`;
}

/** A document with a score, of about this many bytes of JSON. */
export function scored(score: number, bytes: number): object {
  return { score, _timestamp: 1_700_000_000_000 + score, region: 'north', note: 'x'.repeat(Math.max(bytes - 70, 0)) };
}

export const topOf = (id: string, collectionId: string) => ({
  id,
  name: id,
  type: 'leaderboard',
  requiresSecretKey: false,
  sources: [{ collectionId }],
  config: { field: 'score', order: 'desc', limit: 10, columns: ['score'] },
});

export function collection(id: string, more: object = {}) {
  return { id, name: id, collectionType: 'per-platformid', schema: { score: { type: 'number' }, coins: { type: 'number' } }, ...more };
}

/** The project in this data folder; `null` where there is none, or another one. */
export async function preparedIn(folder: string, documents: number, bytes: number): Promise<Prepared | null> {
  const text = await readFile(join(folder, NOTE), 'utf8').catch(() => null);
  if (text === null) return null;
  const found = JSON.parse(text);
  if (found.documents !== documents || found.bytes !== bytes) return null;
  return { ...found, credentials: parseCredentials(found.credentials) };
}

/** Makes a data folder with a project of this many documents. */
export async function prepare(folder: string, documents: number, bytes: number): Promise<Prepared> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'import.json');
  const grown = Math.min(documents, MAX_GROWN);
  await pipeline(Readable.from(exported(documents, grown, bytes)), createWriteStream(file));
  const began = performance.now();
  const { code, stdout, stderr } = await savepoint('project', 'import', file, '--as-new', 'Board', '--data', folder, '--json');
  if (code !== 0) throw new Error(`the import ended with ${code}: ${stdout}${stderr.slice(-2_000)}`);
  const seconds = (performance.now() - began) / 1000;
  await rm(file);
  const prepared = { credentials: parseCredentials(JSON.parse(stdout)), documents, grown, bytes, seconds };
  await writeFile(join(folder, NOTE), JSON.stringify(prepared));
  return prepared;
}

function* exported(documents: number, grown: number, bytes: number): Generator<string> {
  const named = [collection(MANY), collection(GROWN)].map((one) => ({ collection_id: one.id, definition_json: one }));
  const queries = [{ query_id: 'early', definition_json: topOf('early', GROWN) }];
  yield `{"export_version":1,"project_id":"bench","tables":{"collections":${JSON.stringify(named)},"queries":${JSON.stringify(queries)},"records":{`;
  yield `"${GROWN}":[`;
  yield* rows(grown, bytes);
  yield `],"${MANY}":[`;
  yield* rows(documents, bytes);
  yield ']}}}';
}

const ROWS_AT_ONCE = 1_000;

/**
 * Documents as elements of a JSON array, with keys from number `from` on. Their order is not that of their keys, because players do not
 * arrive in that order either.
 */
export function* rows(count: number, bytes: number, from = 0): Generator<string> {
  const stride = strideOf(count);
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    const some = Array.from({ length: Math.min(ROWS_AT_ONCE, count - first) }, (_, i) => {
      const index = from + (((first + i) * stride) % count);
      return JSON.stringify({ record_key: keyOf(index), definition_json: scored(scoreOf(index), bytes) });
    });
    yield `${first === 0 ? '' : ','}${some.join()}`;
  }
}

/** A step that visits every number below `count` once. */
function strideOf(count: number): number {
  const shares = (one: number, other: number): boolean => (other === 0 ? one > 1 : shares(other, one % other));
  let stride = Math.floor(count * 0.618) + 1;
  while (shares(stride, count)) stride += 1;
  return stride;
}

function scoreOf(index: number): number {
  return (index * 7_919) % 1_000_003;
}
