import type { RolledBack } from '../../../contract/answers.ts';
import { type Refusal, refusal } from '../../../kernel/errors.ts';
import { tryParseJson } from '../../../kernel/json.ts';
import type { DefinitionChange, ProjectEvent, SourceStored } from '../../events.ts';
import type { DefinitionsState } from '../../states.ts';
import { layerHash } from '../model/evolve.ts';
import { definitionOf } from '../model/overlay.ts';
import { answered, type Decision, type Put, sourceEvents } from '../push/publish-events.ts';
import { type FieldDifferences, storedDifference } from './difference.ts';

/**
 * Rolls live back to what it was before its last publish or promotion. A second rollback goes back one more: publishes push onto a stack,
 * and rollbacks pop from it.
 *
 * The state keeps no old definitions, so they are read from the log: {@link RollbackSearch} takes the events of the definitions, newest
 * first, and says when it needs no more. Saved tests are not rolled back.
 */

/** How far back: to live right after the publish, promotion or rollback of this revision; −1: before any. */
export interface RollbackGoal {
  readonly revision: number;
}

/** What live was, where it was other than it is now. A definition that did not exist has no text. */
export interface EarlierLive {
  /** Revision of the publish or promotion that made it; −1: none. */
  readonly to: number;
  readonly definitions: readonly (Omit<Put, 'hash' | 'text'> & { readonly hash: string | null; readonly text: string | null })[];
}

type LiveEvent = { readonly revision: number; readonly changes: readonly DefinitionChange[]; readonly to: number | null };

/** What a rollback may undo: one publish, or everything after the goal. */
class Undone {
  /** Revision of the publish before it, once that is met. */
  to: number | undefined;
  /** By kind and id: definitions that were other than they are now; `null`: not known yet. */
  readonly earlier = new Map<string, DefinitionChange | null>();
  /** How many are not known yet. */
  waiting = 0;
}

/** Takes each event once. Memory: hashes of what is undone, and the texts of the answer. */
export class RollbackSearch {
  readonly #state: DefinitionsState;
  readonly #goal: (Undone & { readonly revision: number }) | null;
  /** One publish back: the last publish, and as long as each of them changed nothing, the one before it. */
  readonly #undone: Undone[] = [];
  /** Which of them is the first that may have changed something. */
  #at = 0;
  /** By kind and id: definitions whose earlier form is not known yet. */
  readonly #waiting = new Map<string, Pick<DefinitionChange, 'kind' | 'id'> & { readonly undone: Undone }>();
  /** Revision of the next publish that may be undone; `undefined`: the next event says it. */
  #next: number | undefined;
  /** Whether some definition was other than it is now. */
  #differs = false;
  /** Hashes of the answer whose texts are not known yet. */
  readonly #missing = new Set<string>();
  readonly #texts = new Map<string, string>();
  readonly #parts = new Map<string, Map<number, string>>();
  /** The search reached an older event than the goal without meeting the goal, so nothing was published at that revision. */
  #passedGoal = false;

  /** `goal` left out: one publish back. */
  constructor(state: DefinitionsState, goal?: RollbackGoal) {
    this.#state = state;
    this.#goal = goal === undefined ? null : Object.assign(new Undone(), goal);
  }

  /** Takes the next event, newest first. Returns whether the search is complete. */
  take(event: ProjectEvent): boolean {
    if (event.type === 'source.stored') this.#store(event.data);
    const live = liveEvent(event);
    if (live !== null && this.#goal === null) this.#takeStep(live);
    if (live !== null && this.#goal !== null) this.#takeTowards(this.#goal, live);
    return this.#isComplete();
  }

  /** `null`: live was never published, or there was no publish at the goal. A definition that was not found did not exist. */
  result(): EarlierLive | null {
    for (const { kind, id } of [...this.#waiting.values()]) this.#settle({ kind, id, hash: null });
    const undone = this.#first();
    if (undone === undefined || (this.#goal !== null && this.#goal.revision >= 0 && undone.to === undefined)) return null;
    const changes = [...undone.earlier.values()].filter((change) => change !== null);
    const definitions = changes.map(({ kind, id, hash }) => {
      const text = hash === null ? null : this.#text(hash);
      if (text === undefined) throw new Error(`Corrupt log: ${kind} ${id} refers to the unknown source ${hash}`);
      return { kind, id, hash, text };
    });
    return { to: undone.to ?? -1, definitions };
  }

  /** One publish back. What a rollback undid is passed over: live was then as right after the publish that it led to. */
  #takeStep({ revision, changes, to }: LiveEvent): void {
    for (const change of changes) this.#settle(change);
    const last = this.#undone.at(-1);
    if (this.#next === undefined) {
      this.#next = to ?? revision;
      if (last !== undefined) last.to = this.#next;
    }
    if (revision !== this.#next || this.#differs) return;
    this.#next = undefined;
    const undone = new Undone();
    this.#undone.push(undone);
    this.#undo(undone, changes);
  }

  /** Only the event at the goal's revision counts as the goal: an earlier one led to another state of live. */
  #takeTowards(goal: Undone & { readonly revision: number }, { revision, changes, to }: LiveEvent): void {
    if (revision > goal.revision) {
      this.#undo(goal, changes);
      return;
    }
    if (revision === goal.revision) goal.to = to ?? revision;
    this.#passedGoal = goal.to === undefined;
    for (const change of changes) this.#settle(change);
  }

  #undo(undone: Undone, changes: readonly DefinitionChange[]): void {
    for (const { kind, id } of changes) {
      const name = `${kind}/${id}`;
      if (this.#waiting.has(name)) continue;
      this.#waiting.set(name, { kind, id, undone });
      undone.earlier.set(name, null);
      undone.waiting += 1;
    }
  }

  /** The earlier form of a definition is known. */
  #settle({ kind, id, hash }: DefinitionChange): void {
    const name = `${kind}/${id}`;
    const undone = this.#waiting.get(name)?.undone;
    if (undone === undefined) return;
    this.#waiting.delete(name);
    undone.waiting -= 1;
    const isSame = (this.#state.live[kind].get(id)?.hash ?? null) === hash;
    if (isSame) undone.earlier.delete(name);
    if (isSame) return;
    undone.earlier.set(name, { kind, id, hash });
    this.#differs = true;
    if (hash !== null && this.#text(hash) === undefined) this.#missing.add(hash);
  }

  /** The texts of the answer are stored before the publishes that refer to them, so any other is left out. */
  #store({ hash, part, parts, text }: SourceStored): void {
    if (!this.#missing.has(hash)) return;
    const pieces = this.#parts.get(hash) ?? new Map<number, string>();
    this.#parts.set(hash, pieces.set(part, text));
    if (pieces.size < parts) return;
    this.#texts.set(hash, Array.from({ length: parts }, (_, i) => pieces.get(i) ?? '').join(''));
    this.#parts.delete(hash);
    this.#missing.delete(hash);
  }

  #text(hash: string): string | undefined {
    return this.#state.sources.get(hash) ?? this.#texts.get(hash);
  }

  /** What is undone: the first that changed something, if that is known. */
  #first(): Undone | undefined {
    if (this.#goal !== null) return this.#goal;
    while (this.#undone[this.#at]?.earlier.size === 0) this.#at += 1;
    return this.#undone[this.#at];
  }

  #isComplete(): boolean {
    const undone = this.#first();
    if (undone === undefined) return this.#next === -1;
    if (undone.to === undefined) return this.#passedGoal;
    return undone.waiting === 0 && this.#missing.size === 0;
  }
}

/** The event if it changed live (tests do not count), else `null`. */
function liveEvent(event: ProjectEvent): LiveEvent | null {
  if (event.type === 'definitions.published' && event.data.target === 'next') return null;
  if (event.type !== 'definitions.published' && event.type !== 'definitions.promoted' && event.type !== 'definitions.rolledBack')
    return null;
  const changes = event.data.changes.filter(({ kind }) => kind !== 'tests');
  const to = event.type === 'definitions.rolledBack' ? event.data.to : null;
  return changes.length === 0 && to === null ? null : { revision: event.revision, changes, to };
}

/** `dryRun` says what would change, and writes nothing. */
export function decideRollback(
  state: DefinitionsState,
  earlier: EarlierLive | null,
  { dryRun, to: goal = null }: { readonly dryRun: boolean; readonly to?: number | null },
): Decision<RolledBack> | Refusal {
  if (earlier === null) return goal === null ? refusal('NOTHING_TO_ROLL_BACK') : noSuchPublish(goal);
  const changed = earlier.definitions;
  const changes = changed.map(({ kind, id, hash }) => ({ kind, id, hash }));
  const hash = layerHash(state.live, changes);
  // A goal may equal the present live. Without one there is always something to undo.
  const writes = !dryRun && (goal === null || changes.length > 0);
  const generation = state.generation + (writes ? 1 : 0);
  const { to } = earlier;
  const answer = {
    to,
    changes: changed.map((each) => (dryRun ? { ...summary(state, each), ...expectedDifference(state, each) } : summary(state, each))),
    hash,
    generation,
    ...(dryRun ? { dryRun: true as const } : {}),
  };
  if (!writes) return { events: [], answer: answered(answer) };
  const puts = changed.flatMap(({ kind, id, hash: put, text }) => (put === null || text === null ? [] : [{ kind, id, hash: put, text }]));
  const rolledBack = { type: 'definitions.rolledBack', data: { changes, hash, generation, to } } as const;
  return { events: [...sourceEvents(state, puts), rolledBack], answer: answered(answer) };
}

function noSuchPublish(revision: number): Refusal {
  const message = `Nothing was published live at revision ${revision}; GET publishes lists what was`;
  return refusal('PUBLISH_NOT_FOUND', message);
}

/** Where live would differ, as `diff` shows it. */
function expectedDifference({ live }: DefinitionsState, { kind, id, text }: EarlierLive['definitions'][number]): FieldDifferences {
  if (text === null) return { members: [], fields: [] };
  const item = live[kind].get(id);
  return storedDifference(kind, item === undefined ? {} : definitionOf(item), tryParseJson(text) ?? null);
}

function summary(
  state: DefinitionsState,
  { kind, id, hash }: Pick<DefinitionChange, 'kind' | 'id' | 'hash'>,
): RolledBack['changes'][number] {
  const action = hash === null ? 'delete' : state.live[kind].has(id) ? 'change' : 'add';
  return { kind, id, action };
}
