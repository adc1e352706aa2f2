import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '../harness/json.ts';
import { savepoint } from '../harness/node.ts';
import { expectOk, managePath, type Project, secretHeaders, storagePath } from '../harness/project.ts';
import { collection, GROWN, keyOf, MANY, type Prepared, rows, topOf } from './board-data.ts';

/** The cases of `bench:board`: what is started on a project of many documents while its players write. */

export interface BoardCase {
  readonly name: string;
  /** The collection that players write to during the case. */
  readonly writesTo: typeof MANY | typeof GROWN;
  /** How long players write at least, where the work goes on after it is there. */
  readonly leastSeconds?: number;
  /** Starts the work. Resolves to a function that is polled and says whether the work is done. */
  begin(at: BoardContext): Promise<() => Promise<boolean>>;
}

export interface BoardContext {
  readonly project: Project;
  readonly dataFolder: string;
  readonly prepared: Prepared;
}

async function manage({ project }: BoardContext, method: string, route: string, body: unknown): Promise<void> {
  await expectOk(`${method} ${route}`, project.http.send(method, managePath(project, route), { headers: secretHeaders(project), body }));
}

/**
 * Whether the path answers 200 and is not stale. While a board or list is being built it answers 503 `BUILDING`; before that state is
 * known, `BEHIND`.
 */
async function isShown({ project }: BoardContext, path: string): Promise<boolean> {
  const { status, body, headers } = await project.http.send('GET', path, { headers: secretHeaders(project) });
  if (status === 200) return headers['x-ns-stale'] !== 'true';
  const code = textAt(body, 'error.code');
  if (code === 'BUILDING' || code === 'BEHIND') return false;
  throw new Error(`GET ${path} answered ${status} ${JSON.stringify(body).slice(0, 300)}`);
}

const queryPath = ({ project }: BoardContext, id: string) => `/v3/queries/${project.projectId}/${id}`;

/** Runs a command beside the node. If it fails, the next poll throws. */
function running(...words: readonly string[]): () => Promise<boolean> {
  let ended: { readonly code: number; readonly stderr: string } | null = null;
  savepoint(...words).then(
    (end) => {
      ended = end;
    },
    (error: unknown) => {
      ended = { code: -1, stderr: String(error) };
    },
  );
  return async () => {
    if (ended !== null && ended.code !== 0)
      throw new Error(`savepoint ${words.join(' ')} ended with ${ended.code}: ${ended.stderr.slice(-2_000)}`);
    return ended !== null;
  };
}

const board: BoardCase = {
  name: 'a new board',
  writesTo: MANY,
  async begin(at) {
    await manage(at, 'POST', 'queries', [topOf('late', MANY)]);
    return () => isShown(at, queryPath(at, 'late'));
  },
};

const ledger: BoardCase = {
  name: 'a new `_ledger` field',
  writesTo: MANY,
  // From then on every write has an entry. That, and not the publish, is the work.
  leastSeconds: 30,
  async begin(at) {
    const schema = { score: { type: 'number', _ledger: true }, coins: { type: 'number' } };
    await manage(at, 'PUT', 'collections', [collection(MANY, { schema }), collection(GROWN)]);
    return () => isShown(at, storagePath(at.project, `${MANY}/${keyOf(0)}/ledger`));
  },
};

const global: BoardCase = {
  name: 'a collection becomes global',
  writesTo: GROWN,
  async begin(at) {
    await manage(at, 'PUT', 'collections', [collection(MANY, { collectionType: 'global' }), collection(GROWN)]);
    return () => isShown(at, storagePath(at.project, `${MANY}/list`));
  },
};

const rebuilding: BoardCase = {
  name: '`savepoint rebuild`',
  writesTo: GROWN,
  begin: async ({ dataFolder }) => running('rebuild', '--data', dataFolder, '--json'),
};

/** Every tenth document is new, and a new board covers all of them. */
const importing: BoardCase = {
  name: 'an import with a board',
  writesTo: GROWN,
  async begin(at) {
    const { documents, bytes } = at.prepared;
    const file = join(at.dataFolder, 'more.json');
    const queries = JSON.stringify([
      { query_id: 'brought', definition_json: { ...topOf('brought', MANY), config: { field: 'score', order: 'asc', limit: 10 } } },
    ]);
    const records = [...rows(Math.ceil(documents / 10), bytes, documents)].join('');
    await writeFile(file, `{"export_version":1,"project_id":"more","tables":{"queries":${queries},"records":{"${MANY}":[${records}]}}}`);
    const isImported = running('project', 'import', file, '--into', at.project.projectId, '--data', at.dataFolder, '--json');
    return async () => (await isImported()) && isShown(at, queryPath(at, 'brought'));
  },
};

export const BOARD_CASES: readonly BoardCase[] = [board, ledger, importing, global, rebuilding];
