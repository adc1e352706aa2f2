import type { SharedAccess } from '../../domain/access/context.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import type { CollectionModel, QueryModel } from '../../domain/model.ts';
import { type AnswerContext, rankedText, rowText, type ShownRow } from '../../domain/query/answer.ts';
import type { QueryEnvironment, Row } from '../../domain/query/evaluate.ts';
import type { QueryPlan } from '../../domain/query/plan.ts';
import { plausiblePlayer, profileOf, shownProfile } from '../../domain/query/profile.ts';
import type { ProfileOf } from '../../domain/query/run.ts';
import { playerIn } from '../../domain/telemetry/space.ts';
import { refusal } from '../../kernel/errors.ts';
import { type JsonObject, parseJson } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { AppContext } from '../context.ts';
import type { Project } from '../project/project.ts';

/** What runs over a board and runs over all documents share. */

/** What a caller asks of a leaderboard. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Key of the row whose rank is asked for. */
  readonly player: string | null;
  /** Rows before and after that one, in place of the page. */
  readonly around: number | null;
}

export interface RunInput {
  readonly context: AppContext;
  readonly project: Project;
  readonly access: SharedAccess;
  readonly query: QueryModel;
  readonly plan: QueryPlan;
  /** When it was asked for, by the scheduler's monotonic clock. */
  readonly started: number;
}

/** The rows of a leaderboard's answer, from which smaller pages can be cut. */
export interface Sheet {
  /** Keys and texts of the rows, from rank 1 on. */
  readonly keys: readonly string[];
  readonly texts: readonly string[];
  /** Rows of the leaderboard, including those beyond the sheet. */
  readonly total: number;
  readonly answered: AnswerContext;
}

/** JSON text of an answer, and the revision of the project's log that it reflects. */
export interface RunResult {
  readonly body: string;
  readonly revision: number;
  /** It was put together of two reads, and one of them may show a later revision. */
  readonly isMixed?: true;
  /** The rows of a leaderboard. */
  readonly sheet?: Sheet;
}

/**
 * Stored documents were within `LIMIT_BODY_DEPTH` when they were written. The setting may be lower now, and one old document must not make
 * a query fail for everybody.
 */
const STORED_DEPTH = 10_000;
/** Makes a function to await before each document: all runs of a project compute in its turns. It throws the reason of `stop`. */
export function pauses({ context, project }: Pick<RunInput, 'context' | 'project'>, stop: AbortSignal | null): () => Promise<void> | null {
  const pause = context.roundRobin.pauses(project.id);
  return () => {
    stop?.throwIfAborted();
    return pause();
  };
}

export function environmentOf({ context, project, access }: RunInput): QueryEnvironment {
  return { projectId: project.id, now: context.scheduler.now(), values: access.definitions.values.values };
}

/** A document as queries read it. */
export function documentOf(
  text: string,
  collection: CollectionModel | undefined,
  { settings }: Pick<SharedAccess, 'settings'>,
): JsonObject {
  const document = objectOf(parseJson(text, { maxDepth: STORED_DEPTH }));
  return collection && settings.fillDefaults ? fillDefaults(collection.schema, document) : document;
}

/** `at`: index of the asked row, from 0. Without it there are no rows around it. */
export function requestedRows({ limit, offset, player, around }: PageRequest, at: number | null, most: number) {
  if (player === null || around === null) return { from: offset, count: Math.max(Math.min(limit, most - offset), 0) };
  const from = Math.max((at ?? 0) - around, 0);
  return { from, count: at === null ? 0 : at + around + 1 - from };
}

/** Texts of the rows that an answer shows. Their total is bounded. */
export class Entries {
  readonly texts: string[] = [];
  readonly #how: { readonly plan: QueryPlan; readonly environment: QueryEnvironment };
  readonly #most: number;
  #length = 0;

  constructor(plan: QueryPlan, environment: QueryEnvironment, { limits }: AppContext) {
    this.#how = { plan, environment };
    this.#most = limits.answerBytes;
  }

  /** The text of a row after its rank. */
  rowTextOf(row: ShownRow): string {
    return rowText(this.#how, row);
  }

  /** Adds a row. Throws 413 `RESULT_TOO_LARGE` if it exceeds the bound. */
  add(rowText: string, rank: number): void {
    this.texts.push(this.textOf(rowText, rank));
  }

  /** The text of a row. Throws 413 `RESULT_TOO_LARGE` if it exceeds the bound. */
  textOf(rowText: string, rank: number): string {
    const text = rankedText(rank, rowText);
    this.#length += text.length;
    if (this.#length > this.#most) throw tooLarge(this.#how.plan, this.#most);
    return text;
  }
}

function tooLarge({ columns }: QueryPlan, most: number): Error {
  const cure =
    columns.length === 0 ? 'Name the `columns` that are needed in its definition' : 'Name fewer or smaller columns in its definition';
  return refusal(
    'RESULT_TOO_LARGE',
    `The rows of this query come to more than ${most} bytes. ${cure}, or ask for fewer rows with \`limit\``,
  );
}

/** Profiles of the players with these keys, if the query shows profiles. */
export async function profilesOf({ context, project, access, plan }: RunInput, keys: readonly string[]): Promise<ProfileOf> {
  if (!plan.withProfiles) return () => null;
  const playerOf = (key: string) => {
    const player = plausiblePlayer(key, context.platformId);
    return player === null ? null : playerIn(access.space, player);
  };
  const players = new Set(keys.map(playerOf).filter((player) => player !== null));
  const known = await context.telemetry.reader.profiles(project.id, [...players]);
  const now = context.scheduler.now();
  return (row: Row) => {
    const player = playerOf(row.key);
    if (player === null) return null;
    const profile = known.get(player);
    if (profile === undefined) return profileOf(row, null);
    return profileOf(row, shownProfile(context.telemetry.heartbeats.profileWith(project.id, player, profile), now));
  };
}
