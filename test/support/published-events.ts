import { EVENTS } from '../../src/contract/events/index.ts';
import { LOOKING_EVENTS } from '../../src/contract/events/looking.ts';
import { PEOPLE_EVENTS } from '../../src/contract/events/people.ts';
import type { EventContract } from '../../src/contract/events/shape.ts';
import { TELEMETRY_EVENTS, TOTALS_EVENTS } from '../../src/contract/events/telemetry.ts';
import { decodeEvent } from '../../src/kernel/json.ts';
import { objectOf } from '../../src/kernel/json-read.ts';
import { PLAYER, REQUEST, SALT } from '../../src/log/commitment.ts';

const KNOWN: ReadonlyMap<string, EventContract> = new Map(
  Object.entries({ ...EVENTS, ...PEOPLE_EVENTS, ...LOOKING_EVENTS, ...TELEMETRY_EVENTS, ...TOTALS_EVENTS }),
);

/** Throws for an event that does not fit `src/contract/events`. `data` and `metadata` are its texts, as a log has them. */
export function checkPublished({
  type,
  data,
  metadata,
}: {
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}): void {
  const contract = KNOWN.get(type);
  if (contract === undefined) throw new Error(`No event of the type ${type} is published`);
  const { schemaVersion }: { schemaVersion: number } = JSON.parse(metadata);
  const schema = schemaVersion === contract.version ? contract.data : contract.earlier[schemaVersion];
  if (schema === undefined) throw new Error(`No version ${schemaVersion} of ${type} is published`);
  const { [SALT]: salt, [PLAYER]: player, [REQUEST]: request, ...said } = objectOf(decodeEvent(data));
  if (salt !== undefined && !/^[\w-]{22}$/.test(String(salt))) throw new Error(`The salt of a ${type} is ${salt}`);
  if (player !== undefined && typeof player !== 'string') throw new Error(`The player of a ${type} is ${player}`);
  if (request !== undefined && typeof request !== 'string') throw new Error(`The request id of a ${type} is ${request}`);
  const { error } = schema.safeParse(said);
  if (error !== undefined) throw new Error(`A ${type} is not as published: ${error.message}\n${data}`);
}
