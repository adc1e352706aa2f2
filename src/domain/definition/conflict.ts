import { refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Decision } from './publish.ts';

/** Refuses a change that was made on definitions which somebody else has published over. */

/** `since`: what was published since the base, newest first, and how much in all. Throws 409 PUBLISH_CONFLICT. */
export function decidedOn<Body>(
  since: { readonly count: number; readonly publishes: readonly JsonObject[] },
  decide: () => Decision<Body>,
): Decision<Body> {
  const [newest] = since.publishes;
  if (newest === undefined) return decide();
  const times = since.count === 1 ? '' : `, the last of ${since.count} publishes`;
  const message = `Nothing was written: ${whoOf(newest)} has published since (revision ${String(newest['revision'])}${times}).`;
  throw refusal('PUBLISH_CONFLICT', message, { error: { details: { publishes: [...since.publishes], count: since.count } } });
}

function whoOf({ actor }: JsonObject): string {
  const { kind, label, keyId }: Readonly<Record<string, Json | undefined>> = isObject(actor) ? actor : {};
  if (kind === 'operator') return 'the operator';
  return `the key '${String(label ?? keyId)}'`;
}
