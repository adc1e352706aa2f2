import { type AnswerContext, aggregateAnswer, leaderboardText } from '../../domain/query/answer.ts';
import { valueAt } from '../../domain/query/board-metric.ts';
import type { QueryEnvironment, Row } from '../../domain/query/evaluate.ts';
import { type ProfileOf, QueryRun } from '../../domain/query/run.ts';
import { accepted, refusal } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json.ts';
import {
  documentOf,
  Entries,
  environmentOf,
  type PageRequest,
  pauses,
  profilesOf,
  type RunInput,
  type RunResult,
  requestedRows,
} from './query-runs.ts';

/** Result of one pass over all documents. It answers every page, player or rows around one. */
export interface ScanResult {
  readonly run: QueryRun;
  readonly environment: QueryEnvironment;
  readonly durationMs: number;
  /** Revision of the project's log that it reflects. */
  readonly revision: number;
}

/** Characters of documents that one run may hold. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Passes over all documents. Throws 500 `QUERY_FAILED` if there are too many to keep, and the reason of `stop`. */
export async function scan(input: RunInput, stop: AbortSignal): Promise<ScanResult> {
  const { context, project, access, plan } = input;
  const started = context.scheduler.monotonic();
  const environment = environmentOf(input);
  const collections = [...plan.sources, ...plan.joins].map(({ collectionId }) => access.definitions.collection(collectionId));
  const pause = pauses(input, stop);
  let profileOf: ProfileOf = () => null;
  const run = new QueryRun(plan, environment, {
    read: (source, text) => documentOf(text, collections[source], access),
    profileOf: (row) => profileOf(row),
    mostKept: MAX_KEPT,
  });
  // An unknown collection has no rows, and no collection has an empty name.
  const sources = collections.map((collection, index) => ({
    collection: collection?.id ?? '',
    sortedBy: index === 0 ? (plan.sortedBy?.field ?? null) : null,
  }));
  const { revision } = await context.views.scan(project.id, access.space, sources, async (source, documents) => {
    stop.throwIfAborted();
    if (!run.unites)
      profileOf = await profilesOf(
        input,
        documents.map(({ key }) => key),
      );
    for (const document of documents) {
      const turn = pause();
      if (turn !== null) await turn;
      accepted(run.add(source, document));
    }
  });
  const keys = run.keys();
  let known = 0;
  for (const finishing = run.finish(); ; known -= 1) {
    if (known === 0 && run.unites && plan.withProfiles) {
      const next = firstOf(keys, PROFILES_PER_READ);
      profileOf = await profilesOf(input, next);
      known = next.length;
    }
    const turn = pause();
    if (turn !== null) await turn;
    const { done, value } = finishing.next();
    if (done === true) {
      accepted(value);
      break;
    }
  }
  return { run, environment, durationMs: Math.round(context.scheduler.monotonic() - started), revision };
}

/** Players whose profiles are read at a time. */
const PROFILES_PER_READ = 500;

function firstOf<T>(items: Iterator<T>, count: number): readonly T[] {
  const first: T[] = [];
  for (let next = items.next(); next.done !== true; next = items.next()) {
    first.push(next.value);
    if (first.length === count) break;
  }
  return first;
}

/** Most characters of documents from which an answer is made without a slot for scans. */
const MAX_CONCURRENT = 1024 * 1024;

/**
 * The answer. Documents are parsed again for it; many characters of them take a scan's slot. Throws 500 `QUERY_FAILED` for a
 * player's rank among more rows than were kept, 413 `RESULT_TOO_LARGE`, and the reason of `signal`.
 */
export function composedAnswer(
  input: RunInput,
  scanned: ScanResult,
  page: PageRequest,
  signal: AbortSignal | null,
): Promise<Omit<RunResult, 'revision'>> {
  const { context, project, plan } = input;
  const { run } = scanned;
  const { from, count } = shownRows(run, page, plan.limit);
  const size = run.ranking.slice(from, count).reduce((sum, { key }) => sum + run.sizeOf(key), 0);
  if (size <= MAX_CONCURRENT) return compose(input, scanned, page, null);
  const stop = signal ?? new AbortController().signal;
  return context.scans.run(project.id, stop, (ending) => compose(input, scanned, page, ending));
}

function shownRows(run: QueryRun, page: PageRequest, most: number) {
  return requestedRows(page, page.player === null ? null : run.ranking.indexOf(page.player), most);
}

async function compose(
  input: RunInput,
  { run, environment, durationMs }: ScanResult,
  page: PageRequest,
  stop: AbortSignal | null,
): Promise<Omit<RunResult, 'revision'>> {
  const { context, query, plan } = input;
  const answered: AnswerContext = { query, plan, environment, durationMs, scanned: run.scanned, from: 'scan', errors: run.errors };
  if (plan.type !== 'leaderboard') return { body: stringifyJson(aggregateAnswer(answered, run)) };
  if (page.player !== null && !run.isWhole) {
    throw refusal('QUERY_FAILED', `Query ${query.id} ranks more documents than one query may keep, so nobody's rank is known`);
  }
  const { ranking } = run;
  const at = page.player === null ? null : ranking.indexOf(page.player);
  const { from, count } = shownRows(run, page, plan.limit);
  const rows = ranking.slice(from, count);
  const own = at === null ? [] : ranking.slice(at, 1);
  const profileOf = await profilesOf(
    input,
    [...rows, ...own].map(({ key }) => key),
  );
  const shown = ({ key, rank }: { readonly key: string; readonly rank: number }) => {
    const row: Row = run.row(key, profileOf);
    return { ...row, value: valueAt(rank, plan.order) };
  };
  const pause = pauses(input, stop);
  const entries = new Entries(plan, environment, context);
  for (const [index, row] of rows.entries()) {
    const turn = pause();
    if (turn !== null) await turn;
    entries.add(entries.rowTextOf(shown(row)), from + index + 1);
  }
  const [me] = own;
  const player = me === undefined || at === null ? null : entries.textOf(entries.rowTextOf(shown(me)), at + 1);
  const total = run.counted;
  const body = leaderboardText(answered, { entries: entries.texts, total, ...(page.player === null ? {} : { player }) });
  return { body, sheet: { keys: rows.map(({ key }) => key), texts: entries.texts, total, answered } };
}
