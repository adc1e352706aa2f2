import type { field as fieldSchema } from '../../contract/resources/field.ts';
import type { Written } from '../../contract/resources/member.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { member, splitPath } from '../../kernel/path.ts';
import { flatForm } from './schema.ts';

/**
 * Fields that a collection's schema does not name. A game may store them, so the server accepts them. In what a person types they are
 * mostly misspellings, so tools warn of them.
 */

export interface UnknownField {
  /** Dotted, with `[]` for the items of a list. */
  readonly path: string;
  readonly name: string;
  /** The names that the schema has in this place. */
  readonly known: readonly string[];
}

/** How deep a value is searched. Everything below counts as known. */
const MAX_DEPTH = 64;
/** Parts of a schema that may describe one value. Where there are more, everything counts as known. */
const MAX_PARTS = 64;

/** A schema or a part of it, with the keywords of JSON Schema that ours does not have. */
type Part = Written<typeof fieldSchema> & { readonly [Word in (typeof CHOICES | typeof OPEN)[number] | '$ref' | 'prefixItems']?: Json };

/** Parts of a schema that together describe a value; `null`: nothing is known of it, so it may be anything. */
type Parts = readonly Part[] | null;

/**
 * The unknown fields of a value that is put at `path` (dotted; empty: the whole document). There are none where the schema names no fields,
 * or allows others.
 */
export function unknownFields(schema: Json | undefined, path: string, value: Json): readonly UnknownField[] {
  return [...new UnknownFieldSearch(rooted(schema)).at(path, value)];
}

class UnknownFieldSearch {
  readonly #root: Part | undefined;

  constructor(root: Part | undefined) {
    this.#root = root;
  }

  *at(path: string, value: Json): Generator<UnknownField> {
    let parts = this.#partsOf([this.#root]);
    let before = '';
    for (const name of path === '' ? [] : splitPath(path)) {
      const found = this.#member(parts, name, before);
      if (found.unknown !== null) return yield found.unknown;
      parts = found.parts;
      before = `${before}${name}.`;
    }
    yield* this.#in(parts, value, before, 0);
  }

  *#in(parts: Parts, value: Json, before: string, depth: number): Generator<UnknownField> {
    if (parts === null || depth > MAX_DEPTH) return;
    if (isArray(value)) {
      const items = this.#items(parts);
      for (const item of value) yield* this.#in(items, item, `${before.slice(0, -1)}[].`, depth + 1);
    } else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const found = this.#member(parts, name, before);
        if (found.unknown === null) yield* this.#in(found.parts, inner, `${before}${name}.`, depth + 1);
        else yield found.unknown;
      }
    }
  }

  /** What is known of a member. */
  #member(
    parts: Parts,
    name: string,
    before: string,
  ): { readonly unknown: UnknownField } | { readonly unknown: null; readonly parts: Parts } {
    const named = (parts ?? []).flatMap(({ properties }) => (isObject(properties) ? [properties] : []));
    const fields = named.map((properties) => member(properties, name)).filter((field) => field !== undefined);
    if (fields.length > 0) return { unknown: null, parts: this.#partsOf(fields) };
    // Members that begin with `_` belong to the server or to tools.
    if (parts === null || named.length === 0 || name.startsWith('_') || parts.some(isOpen)) return { unknown: null, parts: null };
    const others = parts.map((part) => part.additionalProperties).filter((other) => other !== undefined && other !== false);
    if (others.length > 0) return { unknown: null, parts: this.#partsOf(others) };
    return { unknown: { path: `${before}${name}`, name, known: [...new Set(named.flatMap(Object.keys))] } };
  }

  /** What is known of the items of a list. A schema with a part for each position is not searched. */
  #items(parts: readonly Part[]): Parts {
    if (parts.some(({ items, prefixItems }) => isArray(items) || prefixItems !== undefined)) return null;
    return this.#partsOf(parts.map(({ items }) => items).filter((items) => items !== undefined));
  }

  /** These parts of a schema, with all that they refer to or combine. */
  #partsOf(fields: readonly (Json | undefined)[]): Parts {
    const parts = new Set<Part>();
    const left = fields.filter((field) => field !== undefined);
    while (left.length > 0) {
      const field = left.pop();
      // The name of a type and `true` say nothing about members.
      if (!isObject(field)) return null;
      const part: Part = field;
      if (parts.has(part)) continue;
      parts.add(part);
      if (parts.size + left.length > MAX_PARTS) return null;
      if (part.$ref !== undefined) left.push(this.#referred(part.$ref) ?? true);
      for (const name of CHOICES) left.push(...listed(part[name]));
    }
    return parts.size === 0 ? null : [...parts];
  }

  /** The part of the schema that `#/…` points to; `undefined`: it is in another document, or does not exist. */
  #referred(reference: Json): Json | undefined {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
    const names = reference.slice(1).split('/').slice(1);
    return names.reduce<Json | undefined>((at, name) => {
      const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject(at) ? member(at, plain) : undefined;
    }, this.#root);
  }
}

/** Members of a schema that hold further parts of it. */
const CHOICES = ['oneOf', 'anyOf', 'allOf', 'if', 'then', 'else'] as const;
/** Members of a schema that may allow names which it does not list. */
const OPEN = ['patternProperties', 'dependentSchemas', 'dependencies', '$dynamicRef'] as const;

function isOpen(part: Part): boolean {
  return part.additionalProperties === true || OPEN.some((name) => part[name] !== undefined);
}

function listed(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : value === undefined ? [] : [value];
}

/** Keywords whose value may be an object. In a schema with `type: object` they are not fields. */
const KEYWORDS = [...CHOICES, ...OPEN, 'additionalProperties', 'definitions', 'not', 'propertyNames', 'unevaluatedProperties'];

/** The flat form (field → definition), turned into the object form. */
function rooted(written: Json | undefined): Part | undefined {
  const schema = objectOf(written);
  const { type, properties }: Part = schema;
  if (Object.keys(schema).length === 0) return undefined;
  if (isObject(properties)) return schema;
  const isKeyword = (name: string) => name.startsWith('$') || (type === 'object' && KEYWORDS.some((word) => word === name));
  const { own, fields } = flatForm(schema, isKeyword);
  return Object.keys(fields).length === 0 ? own : { ...own, properties: fields };
}
