import { randomUUID } from 'node:crypto';
import type { EventMetadata } from '../domain/events.ts';
import { encodeEvent } from '../kernel/json.ts';
import { seal } from './chain.ts';
import { committed } from './commitment.ts';
import type { NewEvent } from './port.ts';

interface Fact<Type extends string> {
  readonly type: Type;
  readonly data: object;
}

/** Seals the facts of one commit behind the event with `previousHash`, for streams beside the projects' own. `hash`: of the last event. */
export function sealFacts<Type extends string>(
  previousHash: string,
  facts: readonly Fact<Type>[],
  { cause, actor, recordedAt }: Pick<EventMetadata, 'cause' | 'actor' | 'recordedAt'>,
  schemaVersions: Readonly<Record<Type, number>>,
): { readonly events: readonly NewEvent[]; readonly hash: string } {
  const commandId = randomUUID();
  let hash = previousHash;
  const events = facts.map(({ type, data }, index) => {
    const left = facts.length - 1 - index;
    const schemaVersion = schemaVersions[type];
    const metadata: EventMetadata = { commandId, cause, actor, schemaVersion, recordedAt, ...(left > 0 ? { left } : {}) };
    const made = seal(hash, {
      id: randomUUID(),
      type,
      metadata: JSON.stringify(metadata),
      data: committed(encodeEvent(data), undefined),
    });
    hash = made.hash;
    return made.event;
  });
  return { events, hash };
}
