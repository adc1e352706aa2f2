import type * as contract from '../../contract/answers.ts';
import { CAUSE } from '../../domain/correction/causes.ts';
import { differences } from '../../domain/correction/differences.ts';
import type { GrantState } from '../../domain/states.ts';
import { documentSubject } from '../../domain/subjects.ts';
import { Refusal } from '../../kernel/errors.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { addDecimals, isNumber, type Json, subtractNumbers } from '../../kernel/json.ts';
import type { AppContext } from '../context.ts';
import { decided } from '../context.ts';
import type { Past } from '../past/past.ts';
import { newCommandId } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { type Gift, givenCommit, giveTo, takeBack } from './grant-serving.ts';

/** What a grant, or undoing it, would do: decided for some of its players, and thrown away. */

/** Players who are tried: a decision each, and for an undo reads of the past. */
const TRIED = 1000;
const TRIED_UNDO = 50;
const SHOWN_DOCUMENTS = 10;
const SHOWN_REFUSALS = 20;
/** Numbers that are added up. */
const MAX_SUMS = 100;

type Preview = contract.GrantPreview;
type Changes = Preview['documents'][number]['changes'];
type Tried = { readonly changes: Changes; readonly short: readonly { readonly field: string; readonly sum: Json }[] } | Refusal;

/** Tries players evenly over the list. */
export async function previewOfGrant(context: AppContext, project: Project, gift: Gift, players: readonly string[]): Promise<Preview> {
  const sample = evenly(players, TRIED);
  await project.load(sample.map((key) => documentSubject('live', gift.collection, key)));
  const tried = await inTurns(sample, (key) =>
    looking(project, CAUSE.grant, (ctx, now): Tried => {
      const given = giveTo(ctx, now, context.limits.documentBytes, gift, key);
      return given instanceof Refusal ? given : { changes: differences(given.before, given.after), short: [] };
    }),
  );
  return shown(sample, tried);
}

/** Tries the first of those who have it. */
export async function previewOfUndo(
  { views, limits }: AppContext,
  past: Past,
  project: Project,
  grant: string,
  undo: NonNullable<GrantState['undo']>,
): Promise<Preview> {
  const players = await views.grantPlayers(project.id, grant, { outcome: 'given', after: -1, limit: TRIED_UNDO });
  const nothing = { changes: [], short: [] };
  const tried = await inTurns(players, async ({ given }): Promise<Tried> => {
    const commit = await refusedOr(() => givenCommit(past, project, given ?? 0));
    if (commit === null) return nothing;
    if (commit instanceof Refusal) return commit;
    return looking(project, CAUSE.undoGrant, (ctx, now): Tried => {
      const taken = takeBack(ctx, now, limits.documentBytes, commit, undo);
      if (taken instanceof Refusal) return taken.code === 'ALREADY_UNDONE' ? nothing : taken;
      const { documents, shortfalls } = taken.report;
      return { changes: documents.flatMap(({ changes }) => changes), short: shortfalls.map(({ field, short }) => ({ field, sum: short })) };
    });
  });
  return shown(
    players.map(({ player }) => player),
    tried,
  );
}

/** What was read, or why this player's cannot be. A failure of the node is thrown. */
async function refusedOr<Value>(read: () => Promise<Value>): Promise<Value | Refusal> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return error;
    throw error;
  }
}

/** Decides without storing anything. */
async function looking<A>(project: Project, cause: string, decide: (ctx: DecisionContext, now: number) => A): Promise<A> {
  const command = { commandId: newCommandId(), cause, actor: { kind: 'operator' as const } };
  return (await project.execute({ ...command, decide: (ctx, now) => decided(decide(ctx, now)) })).answer;
}

/** At most so many of the items, evenly over all of them. */
function evenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]).filter((item) => item !== undefined);
}

function shown(players: readonly string[], tried: readonly Tried[]): Preview {
  const documents: { key: string; changes: Changes }[] = [];
  const refusals: { player: string; code: string; message: string }[] = [];
  const sums = new Sums();
  const short = new Sums();
  for (const [index, each] of tried.entries()) {
    const player = players[index] ?? '';
    if (each instanceof Refusal) {
      refusals.push({ player, code: each.code, message: each.message });
      continue;
    }
    documents.push({ key: player, changes: each.changes });
    for (const { path, from, to } of each.changes) sums.add(path, numberIn(from), numberIn(to));
    for (const { field, sum } of each.short) short.add(field, 0, numberIn(sum));
  }
  return {
    tried: tried.length,
    documents: documents.slice(0, SHOWN_DOCUMENTS),
    sums: sums.list().map(({ name, ...sum }) => ({ path: name, ...sum })),
    refused: refusals.length,
    refusals: refusals.slice(0, SHOWN_REFUSALS),
    short: short.list().map(({ name, ...sum }) => ({ field: name, ...sum })),
  };
}

type NumberValue = Parameters<typeof addDecimals>[0];

/** A number, 0 where there was nothing; `null`: something else. */
function numberIn(value: Json | undefined): NumberValue | null {
  if (value === undefined || value === null) return 0;
  return isNumber(value) ? value : null;
}

/** How much numbers move altogether, by their name. */
class Sums {
  readonly #sums = new Map<string, { readonly players: number; readonly sum: NumberValue }>();

  add(name: string, from: NumberValue | null, to: NumberValue | null): void {
    const known = this.#sums.get(name);
    if (from === null || to === null || (known === undefined && this.#sums.size >= MAX_SUMS)) return;
    const { players, sum } = known ?? { players: 0, sum: 0 };
    this.#sums.set(name, { players: players + 1, sum: addDecimals(sum, subtractNumbers(to, from)) });
  }

  list(): readonly { readonly name: string; readonly players: number; readonly sum: NumberValue }[] {
    return [...this.#sums].map(([name, sum]) => ({ name, ...sum }));
  }
}
