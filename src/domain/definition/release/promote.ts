import type { Difference, Promoted } from '../../../contract/answers.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { ACCESS_WIDENED, wideningsOf } from '../../access/widened.ts';
import { SECTIONS, STAGED_KINDS } from '../../kinds.ts';
import type { DefinitionItem, DefinitionsState } from '../../states.ts';
import { isStaged } from '../model/effective.ts';
import { layerHash } from '../model/evolve.ts';
import { definitionOf, type Entry, entriesOf, removalsOf } from '../model/overlay.ts';
import { answered, changeOf, type Decision, putOf, sourceEvents } from '../push/publish-events.ts';
import { storedDifference } from './difference.ts';

/** Promotion and its preview: `next` over `live`, as a `next` request sees it, becomes the new live. */

/**
 * `dryRun` says what would change, and writes nothing. With nothing staged: 200 with zeros and no event. Otherwise a new generation of
 * `next` data starts, even if the staged definitions equal the live ones.
 */
export function decidePromote(state: DefinitionsState, options: { readonly dryRun: boolean }): Decision<Omit<Promoted, 'findings'>> {
  const { dryRun } = options;
  const changed = changedEntries(state);
  const removed = STAGED_KINDS.flatMap((kind) => removalsOf(state, kind));
  const puts = changed.map((entry) => putOf(entry.kind, entry.id, entry.value));
  const changes = [...puts.map(changeOf), ...removed.map(({ kind, id }) => ({ kind, id, hash: null }))];
  const hash = layerHash(state.live, changes);
  const promotes = isStaged(state.next) && !dryRun;
  const generation = state.generation + (promotes ? 1 : 0);
  const counts = STAGED_KINDS.map((kind) => [SECTIONS[kind], changes.filter((each) => each.kind === kind).length]);
  const summaries = [...changed.map(summary), ...removed.map(removal)];
  const answer = {
    promoted: Object.fromEntries(counts),
    changes: summaries,
    hash,
    generation,
    ...(dryRun ? { dryRun: true as const } : {}),
  };
  if (!promotes) return { events: [], answer: answered(answer) };
  return {
    events: [...sourceEvents(state, puts), { type: 'definitions.promoted', data: { changes, hash, generation } }],
    answer: answered(answer),
  };
}

/** Findings of a promotion that stop nothing: what it opens to more callers than live does. */
export function wideningFindings(state: DefinitionsState): JsonObject[] {
  return changedEntries(state).flatMap(({ kind, id, live, value }) => {
    const widenings = wideningsOf(kind, live === null ? {} : definitionOf(live), value);
    return widenings.map(({ message }) => ({ code: ACCESS_WIDENED, kind, id, message }));
  });
}

/** `next` against `live`: every staged definition that would change something, with its differences field by field. */
export function diffDefinitions(state: DefinitionsState): StagedDifference {
  const removed = STAGED_KINDS.flatMap((kind) => removalsOf(state, kind));
  const changes = [...changedEntries(state).map(listedChange), ...removed.map((item) => ({ ...removal(item), members: [], fields: [] }))];
  return answered({ liveHash: state.liveHash, nextHash: state.nextHash, staged: isStaged(state.next), changes });
}

function changedEntries(state: DefinitionsState): Entry[] {
  const staged = STAGED_KINDS.flatMap((kind) => entriesOf(state, 'next', kind).filter((entry) => entry.staged !== null));
  return staged.filter((entry) => entry.live?.hash !== entry.hash);
}

function removal({ kind, id }: DefinitionItem): Summary {
  return { kind, id, action: 'delete' };
}

type ListedChange = Omit<Difference['changes'][number], 'stagedBy'>;
/** Who staged it is not known to the definitions. */
type StagedDifference = Omit<Difference, 'changes'> & { readonly changes: readonly ListedChange[] };
type Summary = Pick<ListedChange, 'kind' | 'id' | 'action'>;

function summary(entry: Entry): Summary {
  return { kind: entry.kind, id: entry.id, action: entry.live === null ? 'add' : 'change' };
}

function listedChange(entry: Entry): ListedChange {
  const before: Json = entry.live === null ? {} : definitionOf(entry.live);
  return { ...summary(entry), ...storedDifference(entry.kind, before, entry.value) };
}
