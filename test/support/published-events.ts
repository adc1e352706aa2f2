import { EVENTS } from '../../src/contract/events/index.ts';
import type { EventContract } from '../../src/contract/events/shape.ts';
import { TELEMETRY_EVENTS, TOTALS_EVENTS } from '../../src/contract/events/telemetry.ts';
import { decodeEvent } from '../../src/kernel/json.ts';

const KNOWN: ReadonlyMap<string, EventContract> = new Map(Object.entries({ ...EVENTS, ...TELEMETRY_EVENTS, ...TOTALS_EVENTS }));

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
  const { error } = schema.safeParse(decodeEvent(data));
  if (error !== undefined) throw new Error(`A ${type} is not as published: ${error.message}\n${data}`);
}
