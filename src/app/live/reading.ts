import type { Ledger, SaveRecords } from '../../contract/answers.ts';
import { parsedText } from '../../contract/values.ts';
import type { SharedAccess } from '../../domain/access/context.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { DEFINITIONS, type SubjectKey } from '../../domain/subjects.ts';
import { publishedLedger, publishedSlots } from '../../domain/wire-answers.ts';
import type { WireNamesMode } from '../../domain/wire-names.ts';
import { isObject, type Json, type JsonObject, parseStored, stringifyJson } from '../../kernel/json.ts';
import type { Address, ReadAnswer } from '../answers.ts';
import type { AppContext } from '../context.ts';
import { publishesAnswer } from '../management/history.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects, recordListSubjects } from '../project/state-access.ts';
import { readDocument } from '../storage/documents.ts';
import { ledgerAnswer, type SharedLedger } from '../storage/ledger.ts';
import { type SharedQueries, sourcesOf } from '../storage/queries.ts';
import type { SharedQuery } from '../storage/query-call.ts';
import { type SharedSlots, slotsAnswer } from '../storage/save-records.ts';
import { valuesText } from '../storage/values.ts';
import type { Evaluations } from './evaluations.ts';
import { ownersSubject } from './touched.ts';

/**
 * The plain read behind a topic, for all who may read it. It is made of `SharedAccess`, which holds nothing of a caller: no key, player or
 * watermark can get into what everybody is sent.
 */
export interface Reading {
  /** Readings with the same name give the same answer, so one read serves all of their clients. */
  readonly name: string;
  /** The subjects that the answer depends on, beside the definitions and the settings. */
  readonly subjects: readonly SubjectKey[];
  /** Shortest time between two answers, ms. */
  readonly everyMs: number;
  read(): Promise<TopicAnswer>;
}

export interface TopicAnswer {
  /** JSON text; `null`: there is nothing under this name. */
  readonly text: string;
  /** Of a document: its save version. */
  readonly version?: number;
  /** The text without the parts that differ between two reads of the same data. */
  readonly comparable: string;
  /**
   * The revision of the value, if it is known exactly. `null`: the value is of the head, unless one of its subjects changed during the
   * read.
   */
  readonly revision: number | null;
  /** It does not show all that it should. */
  readonly stale: boolean;
}

/** What readings are made with. */
export interface ReadingContext {
  readonly context: AppContext;
  readonly queries: SharedQueries;
  readonly names: WireNamesMode;
  /** Evaluations of queries, which projects take in turn. */
  readonly evaluations: Evaluations;
}

/** Boards, and all that passes over many documents, ms. */
const BOARD_MS = 1_000;
/** A ledger is read from a view, which is written this long after the event, ms. */
const VIEW_MS = 250;
/** Entries of a ledger where the topic says nothing: the oldest, or the newest with `order=desc`. */
const LEDGER_LIMIT = '100';
/** A read for everybody waits for nobody's watermark. */
const NOBODY = { position: null };

export function documentReading({ context }: ReadingContext, { project, access, collection }: SharedLedger, key: string): Reading {
  return {
    name: `documents ${access.space} ${collection.id} ${key}`,
    subjects: documentSubjects(access.space, collection.id, key),
    everyMs: 0,
    async read() {
      const found = await readDocument(context, project, NOBODY, access, collection, key);
      const [text, version] = found === null ? ['null', 0] : [found.text, found.version];
      return { text, version, comparable: `${version} ${text}`, revision: null, stale: false };
    },
  };
}

export function ledgerReading(
  { context, names }: ReadingContext,
  ledger: SharedLedger,
  at: Address,
  options: ReadonlyMap<string, string>,
): Reading {
  const { project, access, collection } = ledger;
  const query = {
    field: options.get('field') ?? null,
    limit: options.get('limit') ?? LEDGER_LIMIT,
    from: null,
    to: null,
    cursor: null,
    order: options.get('order') ?? null,
    // All who may read the topic are told the same.
    who: null,
  };
  return {
    name: `ledger ${access.space} ${collection.id} ${at.key} ${JSON.stringify([query.field, query.limit, query.order])}`,
    subjects: ownersSubjects(access, collection.id, at.key),
    everyMs: VIEW_MS,
    async read() {
      const { result, revision, stale } = await ledgerAnswer(context, ledger, NOBODY, at, query);
      await readUpTo(project, revision);
      const text = names === 'neutral' ? printedResult<Ledger>(result) : printedResult(publishedLedger(parsedResult<Ledger>(result)));
      return { text, comparable: text, revision, stale };
    },
  };
}

export function slotsReading({ context, names }: ReadingContext, slots: SharedSlots): Reading {
  const { access, collection, at } = slots;
  return {
    name: `records ${access.space} ${collection.id} ${at.key}`,
    subjects: [...recordListSubjects(access.space, collection.id, at.key), ...ownersSubjects(access, collection.id, at.key)],
    everyMs: 0,
    async read() {
      const { result } = await slotsAnswer(context, slots, NOBODY);
      const text =
        names === 'neutral' ? printedResult<SaveRecords>(result) : printedResult(publishedSlots(parsedResult<SaveRecords>(result)));
      return { text, comparable: text, revision: null, stale: false };
    },
  };
}

export function queryReading({ context, queries, evaluations }: ReadingContext, project: Project, query: SharedQuery): Reading {
  const { access, plan, page } = query;
  return {
    name: `query ${access.space} ${query.query.id} ${JSON.stringify(page)}`,
    subjects: sourcesOf(access, plan),
    everyMs: BOARD_MS,
    async read() {
      return evaluations.run(project, async () => {
        const answered = await queries.answer(project, query);
        const { result, position, stale, isMixed = false } = answered;
        await readUpTo(project, position);
        const turn = context.roundRobin.resume(project.id);
        if (turn !== null) await turn;
        return context.roundRobin.count(project.id, () => {
          const text = printedResult(result);
          return { text, comparable: answered.comparable ?? withoutVaryingMembers(text), revision: position, stale: stale || isMixed };
        });
      });
    },
  };
}

/** `isWhole`: with the values that players do not see. */
export function valuesReading(target: PublishTarget, isWhole: boolean, values: JsonObject): Reading {
  return {
    name: `values ${target} ${isWhole}`,
    subjects: [DEFINITIONS],
    everyMs: 0,
    async read() {
      const text = valuesText(values);
      return { text, comparable: text, revision: null, stale: false };
    },
  };
}

export function publishesReading({ context }: ReadingContext, project: Project, access: SharedAccess, limit: number): Reading {
  return {
    name: `publishes ${limit}`,
    subjects: [DEFINITIONS],
    everyMs: VIEW_MS,
    async read() {
      const { result, revision, stale } = await publishesAnswer(context, project, access, NOBODY, { limit, before: null });
      // A publish that the view already shows and this node has not read yet counts as a change during the read.
      await readUpTo(project, revision);
      const text = printedResult(result);
      return { text, comparable: text, revision: null, stale };
    },
  };
}

/** Waits until this node has read the log as far as the view shows it. Before that it cannot know of all changes up to there. */
async function readUpTo(project: Project, revision: number): Promise<void> {
  if (revision > project.set.head) await project.seek(revision);
}

/** All documents of a player. A `next` space shows live documents where it has none of its own. */
function ownersSubjects({ space }: SharedAccess, collection: string, key: string): readonly SubjectKey[] {
  const spaces = space === 'live' ? [space] : [space, 'live' as const];
  return spaces.map((one) => ownersSubject(one, collection, playerOfKey(key)));
}

function printedResult<Result extends object>(result: ReadAnswer<Result>['result']): string {
  return typeof result === 'string' ? result : stringifyJson(result as unknown as Json);
}

function parsedResult<Result extends object>(result: ReadAnswer<Result>['result']): Result {
  return typeof result === 'string' ? parsedText(result) : result;
}

/** Members that differ at every read, such as when and how long the query ran. */
const VARYING_MEMBERS: ReadonlySet<string> = new Set([
  'generatedAt',
  'lastran',
  'updatedAt',
  'performance',
  'fromCache',
  'cachedAt',
  'expiresAt',
]);

function withoutVaryingMembers(text: string): string {
  const result = parseStored(text);
  if (!isObject(result)) return text;
  return stringifyJson(Object.fromEntries(Object.entries(result).filter(([name]) => !VARYING_MEMBERS.has(name))));
}
