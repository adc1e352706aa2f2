import { type UnknownField, unknownFields } from '../../domain/document/unknown-fields.ts';
import { RemoteRefusal } from '../../folder/refusal.ts';
import type { Remote, Target } from '../../folder/remote.ts';
import { collectionsOf } from '../../folder/stored-definitions.ts';
import { refusal } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, stringOrEmpty } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { printNote } from '../context.ts';
import { objectsIn } from './requests.ts';

/** Most fields that a message names. */
const MAX_LISTED = 10;

/** Throws STRICT_FINDINGS for a write with fields that the collection's schema does not have. The server finds all other mistakes. */
export async function needFields(remote: Remote, collection: string, target: Target, body: JsonObject): Promise<void> {
  const schema = await schemaOf(remote, collection, target);
  const { ops } = body;
  const unknown = isArray(ops)
    ? objectsIn(ops).flatMap(({ op, path, value = null }) => unknownFields(schema, stringOrEmpty(path), op === 'push' ? [value] : value))
    : unknownFields(schema, '', body);
  if (unknown.length === 0) return;
  const more = unknown.length > MAX_LISTED ? ` And ${unknown.length - MAX_LISTED} more.` : '';
  const told = `${unknown.slice(0, MAX_LISTED).map(toldOf).join(' ')}${more}`;
  throw refusal('STRICT_FINDINGS', `${told} Nothing was stored; --no-strict stores what the schema of ${collection} does not name.`);
}

/** Prints a note on a field that the collection's schema does not have. It is no failure, because an earlier schema may have had it. */
export async function noteUnknownField(remote: Remote, collection: string, target: Target, field: string): Promise<void> {
  for (const each of unknownFields(await schemaOf(remote, collection, target), field, null)) printNote(`Note: ${toldOf(each)}`);
}

function toldOf({ path, name, known }: UnknownField): string {
  if (/\[\d*\]/.test(name))
    return `There is no field '${path}': a path leads through objects, and not into a list. Set the whole list, or add to it with '[]='.`;
  return `There is no field '${path}'. ${didYouMean(name, known) ?? `There are: ${known.slice(0, 20).join(', ')}.`}`;
}

/** The collection's schema; `undefined`: it has none, does not exist, or may not be read with this key. */
async function schemaOf(remote: Remote, collection: string, target: Target): Promise<Json | undefined> {
  return (await definitionOf(remote, collection, target))?.['schema'];
}

/** The definition of a collection; `undefined`: it does not exist, or may not be read with this key. */
export async function definitionOf(remote: Remote, collection: string, target: Target): Promise<JsonObject | undefined> {
  try {
    const held = (await collectionsOf(remote, target)).find(({ id, resource }) => {
      const names = [id, isObject(resource) ? stringOrEmpty(resource['name']) : ''];
      return names.some((name) => name.toLowerCase() === collection.toLowerCase());
    });
    const resource = held?.resource;
    if (!isObject(resource)) return undefined;
    const { definition } = resource;
    return isObject(definition) ? definition : resource;
  } catch (error) {
    if (!(error instanceof RemoteRefusal) || error.status !== 403) throw error;
    printNote('Note: this key may not read collections, so the names of fields are not checked.');
    return undefined;
  }
}
