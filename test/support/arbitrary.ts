import fc from 'fast-check';
import { z } from 'zod';

/** Any JSON value. One member name is left out, because no body may have it. */
const anything = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')));

/** Values that fit a schema, and values that nearly do. Fuzz tests send them. */

type Node = Readonly<Record<string, unknown>>;

/** Any value that the schema takes. */
export function fitting(schema: z.ZodType): fc.Arbitrary<unknown> {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node & {
    readonly $defs?: Readonly<Record<string, Node>>;
  };
  return new Fitting($defs).of(root);
}

/** A value that fits, with one part of it changed to something else. */
export function broken(schema: z.ZodType): fc.Arbitrary<unknown> {
  return fc.tuple(fitting(schema), fc.nat(), anything).map(([value, at, other]) => misplaced(value, at, other));
}

/** How deep recursive schemas are followed. Below this depth lists are empty and objects have only their required members. */
const DEEPEST = 3;

/** Instants that are sent. */
const [FIRST, LAST] = [new Date('2020-01-01'), new Date('2040-01-01')];

/** One schema with the definitions that it refers to. */
class Fitting {
  readonly #definitions: Readonly<Record<string, Node>>;
  readonly #made = new Map<string, fc.Arbitrary<unknown>>();

  constructor(definitions: Readonly<Record<string, Node>>) {
    this.#definitions = definitions;
  }

  of(node: Node, depth = 0): fc.Arbitrary<unknown> {
    const { $ref, anyOf, oneOf, allOf, type, const: only } = node;
    if (typeof $ref === 'string') return this.#referred($ref.replace('#/$defs/', ''), depth + 1);
    if (only !== undefined) return fc.constant(only);
    if (Array.isArray(node['enum'])) return fc.constantFrom(...node['enum']);
    const choices = anyOf ?? oneOf;
    if (Array.isArray(choices)) return fc.oneof(...this.#few(choices, depth).map((one) => this.of(one, depth)));
    if (Array.isArray(allOf)) return fc.tuple(...allOf.map((one) => this.of(one, depth))).map((parts) => Object.assign({}, ...parts));
    if (Array.isArray(type)) return fc.oneof(...type.map((one) => this.of({ ...node, type: one }, depth)));
    return this.#typed(node, depth);
  }

  #typed(node: Node, depth: number): fc.Arbitrary<unknown> {
    switch (node['type']) {
      case 'object':
        return this.#object(node, depth);
      case 'array':
        return fc.array(this.of(Object(node['items']), depth), {
          minLength: bound(node['minItems'], 0),
          maxLength: Math.max(bound(node['minItems'], 0), depth >= DEEPEST ? 0 : bound(node['maxItems'], 3)),
        });
      case 'string':
        if (node['format'] === 'date-time')
          return fc.date({ min: FIRST, max: LAST, noInvalidDate: true }).map((date) => date.toISOString());
        return typeof node['pattern'] === 'string'
          ? fc.stringMatching(new RegExp(node['pattern']))
          : fc.string({ minLength: bound(node['minLength'], 0), maxLength: 20 });
      case 'integer':
        return fc.integer({ min: bound(node['minimum'], -1000), max: bound(node['maximum'], 1000) });
      case 'number':
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return anything;
    }
  }

  #object(node: Node, depth: number): fc.Arbitrary<unknown> {
    const { required, additionalProperties: others } = node;
    const requiredKeys = Array.isArray(required) ? required.map(String) : [];
    const members = Object.entries(Object(node['properties'])).filter(([name]) => depth < DEEPEST || requiredKeys.includes(name));
    const known = fc.record(Object.fromEntries(members.map(([name, one]) => [name, this.of(Object(one), depth)])), { requiredKeys });
    if (others === false || others === undefined || depth >= DEEPEST) return known;
    const names = fc.string({ minLength: 1, maxLength: 8 }).map((name) => name.replaceAll('__proto__', 'proto'));
    const free = fc.dictionary(names, this.of(Object(others), depth), { maxKeys: 3, noNullPrototype: true });
    return fc.tuple(free, known).map(([more, own]) => ({ ...more, ...own }));
  }

  /** Made only when it is needed, because the schema may be recursive. */
  #referred(name: string, depth: number): fc.Arbitrary<unknown> {
    const key = `${name} ${depth}`;
    return fc.constant(key).chain(() => {
      const made = this.#made.get(key) ?? this.of(this.#definitions[name] ?? {}, depth);
      this.#made.set(key, made);
      return made;
    });
  }

  #few(choices: readonly Node[], depth: number): readonly Node[] {
    if (depth < DEEPEST) return choices;
    const flat = choices.filter(({ $ref }) => $ref === undefined);
    return flat.length > 0 ? flat : choices.slice(0, 1);
  }
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Math.abs(value) <= 1_000 ? value : otherwise;
}

/** Replaces one value inside a value. Positions are counted from the outside in. */
function misplaced(value: unknown, at: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const names = Object.keys(value);
  const name = names[at % (names.length + 1)];
  if (name === undefined) return other;
  const inner: unknown = Reflect.get(value, name);
  const changed = misplaced(inner, Math.floor(at / (names.length + 1)), other);
  return Array.isArray(value) ? value.map((item, index) => (String(index) === name ? changed : item)) : { ...value, [name]: changed };
}
