import { MASK } from './collection.ts';
import type { InputField, InputKind } from './input.ts';
import { type Members, saidValue } from './value.ts';

/** A try as if the player had something else: which fields an endpoint works with, and what stands in their place for one run. */

/** The document of the player that an endpoint works on, and the fields of it that its steps name. */
export interface WorkedOn {
  readonly collection: string;
  readonly fields: readonly string[];
}

const OF_PLAYER = /^\{\{\s*(?:platformId|playerKey)\s*\}\}$/;

/** `endpoint`: as it is written. `null`: no step reads a document of the player by his id. */
export function workedOn(endpoint: Members): WorkedOn | null {
  const steps = listOf(endpoint['steps']);
  const read = steps.find(({ type, key, collection }) => type === 'read' && typeof collection === 'string' && OF_PLAYER.test(String(key)));
  if (read === undefined) return null;
  const collection = String(read['collection']);
  const written = steps.filter((step) => step['collection'] === collection).flatMap(({ ops }) => listOf(ops).map(({ path }) => path));
  const named = [...JSON.stringify(endpoint).matchAll(namedOf(String(read['id'])))].map(([, field]) => field);
  const fields = [...named, ...written].filter((field): field is string => typeof field === 'string' && /^\w+$/.test(field));
  return { collection, fields: [...new Set(fields)] };
}

function namedOf(step: string): RegExp {
  return new RegExp(`(?<![\\w.])${step.replaceAll(/[^\w]/g, '\\$&')}\\.(\\w+)`, 'g');
}

/** Fields of a form for what the player has of these; what is masked, or has members, is not among them. */
export function fieldsOfDocument({ fields }: WorkedOn, document: Members): readonly InputField[] {
  return fields.flatMap((name) => {
    const value = document[name];
    const kind = value === MASK ? undefined : KINDS[typeof value];
    if (kind === undefined) return [];
    const says = value === undefined ? 'nothing now; a number, true, or text in quotes' : `${saidValue(value)} now`;
    return [{ name, label: name, kind, isRequired: false, options: [], says, isWhole: false }];
  });
}

const KINDS: Readonly<Record<string, InputKind>> = { number: 'number', string: 'text', boolean: 'flag', undefined: 'json' };

/** What the run finds in place of the player's document. A masked value would not be what the player has: it is left out. */
export function pretended(document: Members, values: Members): Members {
  return { ...(withoutMasks(document) as Members), ...values };
}

function withoutMasks(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.filter((each) => each !== MASK).map(withoutMasks);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== MASK)
      .map(([name, each]) => [name, withoutMasks(each)]),
  );
}

/** As whom it was tried: `axe 1, gold 200`. */
export function pretendedSaid(values: Members): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${saidValue(value)}`)
    .join(', ');
}

/** What is staged, as far as it says which endpoint it matters to. */
interface Staged {
  readonly kind: string;
  readonly id: string;
  readonly fields: readonly { readonly label: string }[];
}

/** A group or table of game values. */
interface Valued {
  readonly id: string;
  readonly name: string;
}

/**
 * The first endpoint that is itself among what is staged, or else the one that names most of it: a workflow, or `values`, which are staged
 * as one definition whose fields begin with the name of a group or table, and end with that of a column or entry.
 */
export function firstUsing<Endpoint extends Members>(
  endpoints: readonly Endpoint[],
  staged: readonly Staged[],
  values: readonly Valued[],
): Endpoint | undefined {
  const ids = new Set(staged.filter(({ kind }) => kind === 'endpoint').map(({ id }) => id));
  const itself = endpoints.find(({ id }) => ids.has(String(id)));
  if (itself !== undefined) return itself;
  const labels = staged.flatMap(({ kind, fields }) => (kind === VALUES ? fields.map(({ label }) => label.split(' › ')) : []));
  const changed = new Set(labels.map(([name]) => name));
  const others = staged.flatMap(({ kind, id }) => (kind === 'endpoint' || kind === VALUES ? [] : [id]));
  const whole = [...others, ...values.filter(({ name }) => changed.has(name)).map(({ id }) => id)];
  const parts = [...new Set(labels.map((label) => label.at(-1) ?? ''))];
  const rated = endpoints.map((endpoint) => {
    const text = JSON.stringify([endpoint['steps'], endpoint['response']]);
    return { endpoint, whole: namedIn(text, whole), parts: namedIn(text, parts) };
  });
  const found = rated.filter((each) => each.whole > 0).sort((one, other) => other.whole - one.whole || other.parts - one.parts);
  return found[0]?.endpoint;
}

/** How many of these names stand in a text. */
function namedIn(text: string, names: readonly string[]): number {
  return names.filter((name) => new RegExp(`(?<![\\w-])${name.replaceAll(/[^\w]/g, '\\$&')}(?![\\w-])`).test(text)).length;
}

const VALUES = 'game-values';

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter((each): each is Members => typeof each === 'object' && each !== null) : [];
}
