import { MAX_GRANT_PLAYERS } from '../../contract/routes/grants.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import { refusal } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/json.ts';
import { listOf, objectOf, stringOf } from '../../kernel/json-read.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, viewsReached } from '../context.ts';
import type { Project } from '../project/project.ts';
import type { Queries } from '../storage/queries.ts';

/** Who is to get something: one of these. */
export interface Whom {
  /** Keys of documents. */
  readonly players?: readonly string[];
  /** A leaderboard: whom it shows. */
  readonly query?: string;
  /** Whoever has a document in the collection. */
  readonly everybody?: true;
}

/** How long the list waits until the views show what is stored: it never changes afterwards. */
const VIEWS_WAIT_MS = 10_000;
/** A query shows no more rows than this. */
const MOST_ROWS = 1000;

/** The keys of the documents, each once, in their order. Throws 400, 404 for a query that there is not, 409 COLLECTION_TOO_LARGE. */
export async function whomToServe(
  context: AppContext,
  queries: Queries,
  project: Project,
  caller: Caller,
  collection: string,
  { players, query, everybody }: Whom,
): Promise<readonly string[]> {
  const named = [players, query, everybody].filter((each) => each !== undefined);
  if (named.length !== 1) throw refusal('VALIDATION_FAILED', 'Say who gets it by one of `players`, `query` and `everybody`');
  if (players === undefined) await shownByViews(context, project);
  const keys = players ?? (query === undefined ? await keysOf(project, collection) : await shownBy(queries, caller, query));
  const wrong = keys.find((key) => !DOCUMENT_KEY.test(key));
  if (wrong !== undefined) throw refusal('VALIDATION_FAILED', `${JSON.stringify(wrong)} can be no key of a document`);
  if (keys.length === 0)
    throw refusal('VALIDATION_FAILED', query === undefined ? `${collection} has no document` : `${query} shows nobody`);
  return [...new Set(keys)];
}

async function shownByViews(context: AppContext, project: Project): Promise<void> {
  await project.refresh();
  if (!(await viewsReached(context, project, 'documents', project.set.head, VIEWS_WAIT_MS))) throw refusal('BEHIND');
}

async function shownBy(queries: Queries, caller: Caller, id: string): Promise<readonly string[]> {
  const page = { limit: String(MOST_ROWS), offset: null, player: null, around: null };
  const { result, stale } = await queries.run(caller, { id, target: 'live', fresh: true, ...page });
  if (stale) throw refusal('BEHIND');
  const answer = objectOf(typeof result === 'string' ? parseJson(result) : null);
  if (answer['type'] !== 'leaderboard') throw refusal('INVALID_REQUEST', `The query ${id} is no leaderboard, so it shows no players`);
  return listOf(answer['entries']).flatMap((entry) => stringOf(objectOf(entry)['key']) ?? []);
}

/** The keys of all documents of a collection. Throws 409 COLLECTION_TOO_LARGE. */
async function keysOf(project: Project, collection: string): Promise<readonly string[]> {
  const { keys } = await project.documentKeys('live', collection, MAX_GRANT_PLAYERS + 1);
  if (keys.length <= MAX_GRANT_PLAYERS) return keys;
  throw refusal(
    'COLLECTION_TOO_LARGE',
    `${collection} has more than ${MAX_GRANT_PLAYERS} documents, and a grant has so many players at most: name them in parts, by \`players\``,
  );
}
