import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { splitPath } from '../../kernel/path.ts';

/**
 * Fields that a collection's schema does not name. A game may store them, so the server takes them; for a person at a keyboard they are mostly
 * misspelt.
 */

export interface UnknownField {
  /** Dotted, with `[]` for the items of a list. */
  readonly path: string;
  readonly name: string;
  /** The names that stand in the schema there. */
  readonly known: readonly string[];
}

/** The unknown fields of a value that is put at `path` (dotted; empty: the whole document). None where the schema names no fields. */
export function unknownFields(schema: Json | undefined, path: string, value: Json): readonly UnknownField[] {
  let at: Json | undefined = rooted(schema);
  let before = '';
  for (const name of path === '' ? [] : splitPath(path)) {
    const found = member(at, name, before);
    if (found.unknown !== null) return [found.unknown];
    at = found.field;
    before = `${before}${name}.`;
  }
  return [...unknownIn(at, value, before)];
}

function* unknownIn(field: Json | undefined, value: Json, before: string): Generator<UnknownField> {
  if (isArray(value)) {
    const items = isObject(field) ? field['items'] : undefined;
    for (const item of value) yield* unknownIn(items, item, `${before.slice(0, -1)}[].`);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const found = member(field, name, before);
      if (found.unknown === null) yield* unknownIn(found.field, inner, `${before}${name}.`);
      else yield found.unknown;
    }
  }
}

/** What is known of a member of a field. */
function member(field: Json | undefined, name: string, before: string): { readonly unknown: UnknownField | null; readonly field?: Json } {
  const properties = isObject(field) && isObject(field['properties']) ? field['properties'] : null;
  if (properties === null || !isObject(field)) return { unknown: null };
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (own !== undefined) return { unknown: null, field: own };
  const others = field['additionalProperties'];
  // Members that begin so are the server's, or are meant for tools.
  if (name.startsWith('_') || others === true) return { unknown: null };
  if (others !== undefined && others !== false) return { unknown: null, field: others };
  return { unknown: { path: `${before}${name}`, name, known: Object.keys(properties) } };
}

/** The flat form (field → definition) as the other one. */
function rooted(schema: Json | undefined): JsonObject | undefined {
  if (!isObject(schema) || Object.keys(schema).length === 0) return undefined;
  if (isObject(schema['properties'])) return schema;
  const isField = ([name, field]: readonly [string, Json]) => isObject(field) || (typeof field === 'string' && name !== 'type');
  const entries = Object.entries(schema);
  return { ...Object.fromEntries(entries.filter((entry) => !isField(entry))), properties: Object.fromEntries(entries.filter(isField)) };
}
