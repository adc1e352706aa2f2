import type { RolledBack } from '../../contract/answers.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json.ts';
import type { DefinitionChange, ProjectEvent, SourceStored } from '../events.ts';
import type { DefinitionsState } from '../states.ts';
import { type FieldDifferences, storedDifference } from './difference.ts';
import { layerHash } from './evolve.ts';
import { definitionOf } from './overlay.ts';
import { answered, type Decision, type Put, sourceEvents } from './publish.ts';

/**
 * Rolls live back to what it was before its last publish or promotion. A second rollback goes back one more: publishes push onto a stack, and
 * rollbacks pop from it.
 *
 * The state keeps no old definitions, so they are read from the log: {@link RollbackSearch} takes the events of the definitions, newest first,
 * and says when it needs no more. Saved tests are not rolled back.
 */

/** How far back: to live right after the publish, promotion or rollback of this revision; −1: before any. */
export interface RollbackGoal {
  readonly revision: number;
}

/** What live was. A definition that did not exist has no text. */
export interface EarlierLive {
  /** Revision of the publish or promotion that made it; −1: none. */
  readonly to: number;
  readonly definitions: readonly (Omit<Put, 'hash' | 'text'> & { readonly hash: string | null; readonly text: string | null })[];
}

type LiveEvent = { readonly revision: number; readonly changes: readonly DefinitionChange[]; readonly to: number | null };

export class RollbackSearch {
  /** The publish to undo; −1: there is none; `undefined`: not found yet. */
  #undone: number | undefined;
  #to: number | undefined;
  /** By kind and id: what the undone events changed, with its earlier hash; `undefined`: not found yet. */
  readonly #wanted = new Map<string, { readonly kind: DefinitionChange['kind']; readonly id: string; hash?: string | null }>();
  readonly #texts = new Map<string, string>();
  readonly #parts = new Map<string, Map<number, string>>();
  readonly #goal: number | undefined;
  /** The search reached an older event than the goal without meeting the goal, so nothing was published at that revision. */
  #passedGoal = false;

  /** `held`: known texts by hash. `from`: the goal, or the publish to undo, if that is not the last one. */
  constructor(held: ReadonlyMap<string, string>, from?: number | RollbackGoal) {
    for (const [hash, text] of held) this.#texts.set(hash, text);
    if (typeof from === 'object') {
      this.#goal = from.revision;
      this.#undone = from.revision + 1;
    } else this.#undone = from;
  }

  /** Takes the next event, newest first. Returns whether the search is complete. */
  take(event: ProjectEvent): boolean {
    if (event.type === 'source.stored') this.#store(event.data);
    const live = liveEvent(event);
    if (live !== null) this.#takeLive(live);
    return this.#isComplete();
  }

  /** `null`: live was never published, or there was no publish at the goal. A definition that was not found did not exist. */
  result(): EarlierLive | null {
    if (this.#undone === undefined || this.#undone < 0) return null;
    if (this.#goal !== undefined && this.#goal >= 0 && this.#to === undefined) return null;
    const definitions = [...this.#wanted.values()].map(({ kind, id, hash = null }) => {
      const text = hash === null ? null : this.#texts.get(hash);
      if (text === undefined) throw new Error(`Corrupt log: ${kind} ${id} refers to the unknown source ${hash}`);
      return { kind, id, hash, text };
    });
    return { to: this.#to ?? -1, definitions };
  }

  #takeLive({ revision, changes, to }: LiveEvent): void {
    this.#passedGoal = this.#goal !== undefined && revision < this.#goal && this.#to === undefined;
    this.#undone ??= to ?? revision;
    if (revision >= this.#undone) {
      for (const { kind, id } of changes) this.#wanted.set(`${kind}/${id}`, { kind, id });
      return;
    }
    // With a goal, only the event at its revision counts: an earlier one led to another state of live.
    if (this.#goal === undefined || this.#goal === revision) this.#to ??= to ?? revision;
    for (const { kind, id, hash } of changes) {
      const wanted = this.#wanted.get(`${kind}/${id}`);
      if (wanted !== undefined && wanted.hash === undefined) wanted.hash = hash;
    }
  }

  #store({ hash, part, parts, text }: SourceStored): void {
    if (this.#texts.has(hash)) return;
    const pieces = this.#parts.get(hash) ?? new Map<number, string>();
    this.#parts.set(hash, pieces.set(part, text));
    if (pieces.size === parts) this.#texts.set(hash, Array.from({ length: parts }, (_, i) => pieces.get(i) ?? '').join(''));
  }

  #isComplete(): boolean {
    if (this.#undone === undefined) return false;
    if (this.#undone < 0 || this.#passedGoal) return true;
    const known = [...this.#wanted.values()].every(({ hash }) => hash === null || (hash !== undefined && this.#texts.has(hash)));
    return this.#to !== undefined && known;
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

/** Whether live is in that state already. A workflow that is pushed again unchanged is a publish, too, with nothing to undo. */
export function isLive(state: DefinitionsState, { definitions }: EarlierLive): boolean {
  return differentFromLive(state, definitions).length === 0;
}

function differentFromLive({ live }: DefinitionsState, definitions: EarlierLive['definitions']): EarlierLive['definitions'] {
  return definitions.filter(({ kind, id, hash }) => (live[kind].get(id)?.hash ?? null) !== hash);
}

/** `dryRun` says what would change, and writes nothing. */
export function decideRollback(
  state: DefinitionsState,
  earlier: EarlierLive | null,
  { dryRun, to: goal = null }: { readonly dryRun: boolean; readonly to?: number | null },
): Decision<RolledBack> | Refusal {
  if (earlier === null) return goal === null ? refusal('NOTHING_TO_ROLL_BACK') : noSuchPublish(goal);
  const changed = differentFromLive(state, earlier.definitions);
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
