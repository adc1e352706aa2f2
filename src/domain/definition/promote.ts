import { isObject, type Json, type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { DefinitionsState } from '../states.ts';
import { isStaged } from './effective.ts';
import { layerHash } from './evolve.ts';
import { STAGED_KINDS } from './kinds.ts';
import { definitionOf, type Entry, entriesOf } from './overlay.ts';
import { changeOf, type Decision, type ManageReply, putOf, reply, sourceEvents } from './publish.ts';

/** Promotion and its preview: `next` merged over `live` as a `next` request sees it becomes the new live (decision 8). */

const COUNT_NAMES = {
  endpoint: 'endpoints',
  collection: 'collections',
  workflow: 'workflows',
  query: 'queries',
  'game-values': 'gameValues',
  'rate-limit-rules': 'rateLimitRules',
} as const;

/**
 * `dryRun` answers what would change and writes nothing. Nothing staged: 200 with zeros and no event. Anything else starts a new
 * generation of `next` data, also when the staged definitions equal the live ones.
 */
export function decidePromote(state: DefinitionsState, options: { readonly dryRun: boolean }): Decision {
  const { dryRun } = options;
  const changed = stagedEntries(state).filter((entry) => entry.live?.hash !== entry.hash);
  const puts = changed.map((entry) => putOf(entry.kind, entry.id, entry.value));
  const changes = puts.map(changeOf);
  const hash = layerHash(state.live, changes);
  const promotes = isStaged(state.next) && !dryRun;
  const generation = state.generation + (promotes ? 1 : 0);
  const counts = STAGED_KINDS.map((kind) => [COUNT_NAMES[kind], changed.filter((entry) => entry.kind === kind).length]);
  const body = { promoted: Object.fromEntries(counts), changes: changed.map(summary), hash, generation, ...(dryRun ? { dryRun } : {}) };
  if (!promotes) return { events: [], answer: reply(body) };
  return {
    events: [...sourceEvents(state, puts), { type: 'definitions.promoted', data: { changes, hash, generation } }],
    answer: reply(body),
  };
}

/** `next` against `live`: every staged definition that would change something, with the top-level members that differ. */
export function diffDefinitions(state: DefinitionsState): ManageReply {
  const changed = stagedEntries(state).filter((entry) => entry.live?.hash !== entry.hash);
  const changes = changed.map((entry) => ({ ...summary(entry), members: changedMembers(entry) }));
  return reply({ liveHash: state.liveHash, nextHash: state.nextHash, staged: isStaged(state.next), changes });
}

function stagedEntries(state: DefinitionsState): Entry[] {
  return STAGED_KINDS.flatMap((kind) => entriesOf(state, 'next', kind).filter((entry) => entry.staged !== null));
}

function summary(entry: Entry): JsonObject {
  return { kind: entry.kind, id: entry.id, action: entry.live === null ? 'add' : 'change' };
}

function changedMembers(entry: Entry): string[] {
  const before: Json = entry.live === null ? {} : definitionOf(entry.live);
  const after = entry.value;
  if (!isObject(before) || !isObject(after)) return [];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !sameMember(member(before, name), member(after, name)));
}

function sameMember(before: Json | undefined, after: Json | undefined): boolean {
  return before !== undefined && after !== undefined && jsonEquals(before, after);
}
