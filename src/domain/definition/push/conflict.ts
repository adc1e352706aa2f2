import { refusal } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { Decision } from './publish-events.ts';

/** Refuses a change whose base is out of date, because somebody else has published since. */

/** A publish, as a conflict lists it. */
export type PublishSince = JsonObject & { readonly revision: number; readonly actor: JsonObject & { readonly kind: string } };

/**
 * Decides, unless something was published since the base of the change: then throws 409 PUBLISH_CONFLICT. `since`: the publishes since then
 * that the caller may see, newest first, and the number of all.
 */
export function decidedOn<Body>(
  since: { readonly count: number; readonly publishes: readonly PublishSince[] },
  decide: () => Decision<Body>,
): Decision<Body> {
  const [newest] = since.publishes;
  if (since.count === 0) return decide();
  const message = `Nothing was written: ${newest === undefined ? 'somebody has published since' : describeNewest(newest, since.count)}.`;
  throw refusal('PUBLISH_CONFLICT', message, { error: { details: { publishes: [...since.publishes], count: since.count } } });
}

function describeNewest(newest: PublishSince, count: number): string {
  const times = count === 1 ? '' : `, the last of ${count} publishes`;
  return `${publisherOf(newest)} has published since (revision ${newest.revision}${times})`;
}

function publisherOf({ actor: { kind, label, keyId, person } }: PublishSince): string {
  if (kind === 'operator') return 'the operator';
  return kind === 'person' ? String(label ?? person) : `the key '${String(label ?? keyId)}'`;
}
