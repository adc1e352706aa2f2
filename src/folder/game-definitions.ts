import { effectiveDefinitions } from '../domain/definition/model/effective.ts';
import { EMPTY_DEFINITIONS, evolveDefinitions } from '../domain/definition/model/evolve.ts';
import { decideSync } from '../domain/definition/push/decide-sync.ts';
import type { DomainEvent, ProjectEvent } from '../domain/events.ts';
import type { EffectiveDefinitions } from '../domain/model.ts';
import { accepted } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';

/**
 * Definitions as a server runs them, from the body of a `sync` with definitions or source files. Throws the `Refusal` that a push of them
 * would get.
 */
export function definitionsIn(sync: JsonObject): EffectiveDefinitions {
  const { events } = accepted(decideSync(EMPTY_DEFINITIONS, sync, 'live', 0));
  return effectiveDefinitions(events.map(stored).reduce(evolveDefinitions, EMPTY_DEFINITIONS), 'live');
}

/** An event as a log would return it. */
function stored(event: DomainEvent): ProjectEvent {
  const metadata = { commandId: '', cause: 'types', actor: { kind: 'secret' as const }, schemaVersion: 1, recordedAt: 0 };
  return { ...event, revision: 0, id: '', metadata, hash: '' };
}
