import { createHash } from 'node:crypto';
import { EMPTY_DEFINITIONS, evolveDefinitions } from '../../../src/domain/definition/model/evolve.ts';
import { decidePutSingle, decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import type { Decision } from '../../../src/domain/definition/push/publish-events.ts';
import type { DomainEvent, ProjectEvent, PublishTarget } from '../../../src/domain/events.ts';
import type { Known } from '../../../src/domain/finding.ts';
import type { ListedKind, SingleKind } from '../../../src/domain/kinds.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { Json } from '../../../src/kernel/json.ts';

/** An event as the log would give it back. */
export function recorded(event: DomainEvent, at = 1000, revision = 0): ProjectEvent {
  const metadata = { commandId: 'c', cause: 'test', actor: { kind: 'secret' as const }, schemaVersion: 1, recordedAt: at };
  return { ...event, revision, id: 'e', metadata, hash: '' };
}

export function fold(state: DefinitionsState, events: readonly DomainEvent[], at = 1000): DefinitionsState {
  return events.reduce((folded, event) => evolveDefinitions(folded, recorded(event, at)), state);
}

/** The decision of a decider; a refusal fails the test. */
export function accepted(decision: Decision | Refusal): Decision {
  if (decision instanceof Refusal) throw new Error(`${decision.code}: ${decision.message} ${JSON.stringify(decision.extra.body)}`);
  return decision;
}

export function refused(decision: unknown): Refusal {
  if (!(decision instanceof Refusal)) throw new Error('expected a refusal');
  return decision;
}

export function push(state: DefinitionsState, kind: ListedKind, items: Json, target: PublishTarget = 'live', at = 1000): DefinitionsState {
  return fold(state, accepted(decideUpsertMany(state, kind, items, { target, replaceAll: false })).events, at);
}

export function put(state: DefinitionsState, kind: SingleKind, body: Json, target: PublishTarget = 'live', at = 1000): DefinitionsState {
  return fold(state, accepted(decidePutSingle(state, kind, body, target, at)).events, at);
}

export const EMPTY = EMPTY_DEFINITIONS;

/** Nothing but the definition that is looked at. */
export const NOTHING_KNOWN: Known = {
  collection: () => false,
  playersCollection: () => false,
  endpoint: () => false,
  callable: () => false,
  workflow: () => undefined,
  returns: () => undefined,
  library: () => false,
  block: () => false,
  table: () => false,
  value: () => false,
  closedSchema: () => undefined,
};

export function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
