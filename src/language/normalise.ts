import type { block, endpoint, workflow } from '../contract/resources/logic.ts';
import type { Written } from '../contract/resources/member.ts';
import { type StepSchema, type StepType, stepTypes } from '../contract/resources/step.ts';
import {
  LOGIC_SYNONYMS,
  type Normal,
  PART_SYNONYMS,
  type Row,
  STEP_SYNONYMS,
  type SynonymOf,
  type Synonyms,
} from '../contract/resources/synonyms.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { member } from '../kernel/path.ts';

/**
 * The normal form of what authors wrote: every member has one name, whichever of its synonyms the author chose, and every route is an object.
 * Whatever runs, checks or types a definition reads this form alone. What was sent is stored as it was sent.
 */

/** An endpoint, workflow, library or block, under normal names. Values are as written: nothing is checked. */
export type Logic = Omit<
  Written<typeof endpoint> & Written<typeof workflow> & Written<typeof block>,
  SynonymOf<(typeof LOGIC_SYNONYMS)['block' | 'workflow' | 'endpoint']>
>;

/** A step of a type, under normal names. */
export type NormalStep<T extends StepType> = T extends keyof typeof STEP_SYNONYMS
  ? Normal<StepSchema<T>, (typeof STEP_SYNONYMS)[T]>
  : Written<StepSchema<T>>;

export interface Normalised {
  readonly definition: Logic;
  /** Where the author wrote what stands at this pointer in the normal form. */
  sourceOf(pointer: string): string;
}

const normalised = new WeakMap<JsonObject, Normalised>();

/** The normal form of a definition. Made once for each; never throws. A definition in normal form is its own. */
export function normalise(definition: JsonObject): Normalised {
  const known = normalised.get(definition) ?? makeNormal(definition);
  normalised.set(definition, known);
  return known;
}

function makeNormal(definition: JsonObject): Normalised {
  const moved = new Map<string, string>();
  const normal = object(DEFINITION)(definition, { pointer: '', source: '', moved });
  return { definition: objectOf(normal), sourceOf: (pointer) => sourceOf(moved, pointer) };
}

function sourceOf(moved: ReadonlyMap<string, string>, pointer: string): string {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    const source = moved.get(pointer.slice(0, end));
    if (source !== undefined) return source + pointer.slice(end);
  }
  return pointer;
}

const asWritten = new WeakMap<JsonObject, JsonObject>();

/** The object that an author wrote, of an object in normal form. */
export function writtenAs(normal: JsonObject): JsonObject {
  return asWritten.get(normal) ?? normal;
}

/** Where a part stands: in the normal form, and in what was written. */
interface At {
  readonly pointer: string;
  readonly source: string;
  /** Pointers of members that have another name in what was written, with the pointers there. */
  readonly moved: Map<string, string>;
}

function within({ pointer, source, moved }: At, name: string | number): At {
  const inner = `${pointer}/${name}`;
  return { pointer: inner, source: moved.get(inner) ?? `${source}/${name}`, moved };
}

/** Brings a part of a definition into normal form. What is in it already comes back as it is. */
type Part = (json: Json, at: At) => Json;

interface Shape {
  readonly synonyms: Synonyms;
  /** The members that hold further parts. */
  readonly parts: Readonly<Record<string, Part>>;
}

function object({ synonyms, parts }: Shape): Part {
  const rows = Object.entries(synonyms);
  const inner = Object.entries(parts);
  return (json, at) => {
    if (!isObject(json)) return json;
    const named = rows.reduce((before, [name, row]) => underOneName(before, name, row, at), json);
    const normal = inner.reduce((before, [name, part]) => withPart(before, name, part, at), named);
    if (normal !== json) asWritten.set(normal, json);
    return normal;
  };
}

function withPart(json: JsonObject, name: string, part: Part, at: At): JsonObject {
  const written = member(json, name);
  if (written === undefined) return json;
  const normal = part(written, within(at, name));
  return normal === written ? json : { ...json, [name]: normal };
}

/** Every item of a list, or every member of a map. */
function each(part: Part): Part {
  return (json, at) => {
    if (isArray(json)) {
      const items = json.map((item, index) => part(item, within(at, index)));
      return items.some((item, index) => item !== json[index]) ? items : json;
    }
    if (!isObject(json)) return json;
    const members = Object.entries(json).map(([name, item]) => [name, part(item, within(at, name))] as const);
    return members.some(([name, item]) => item !== json[name]) ? Object.fromEntries(members) : json;
  };
}

function underOneName(json: JsonObject, name: string, row: Row, at: At): JsonObject {
  const there = row.names.filter((each) => memberAt(json, each) !== undefined);
  const [only] = there;
  if (only === undefined || (only === name && there.length === 1)) return json;
  const others = there.reduce(withoutMember, json);
  if (row.unless !== undefined && isText(json[row.unless]) && !there.includes(name)) return others;
  const winner = there.find((each) => COUNTS[row.counts](memberAt(json, each))) ?? only;
  if (winner !== name) at.moved.set(`${at.pointer}/${pointerOf(name)}`, `${at.source}/${pointerOf(winner)}`);
  const value = memberAt(json, winner) ?? null;
  return name.includes('.') ? withMember(others, name, value) : inItsPlace(json, others, name, winner, value);
}

const COUNTS: { readonly [C in Row['counts']]: (value: Json | undefined) => boolean } = {
  there: (value) => value !== undefined,
  given: (value) => value !== undefined && value !== null,
  text: isText,
};

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function pointerOf(name: string): string {
  return name.replace('.', '/');
}

/** A member, or a member of a member: `routes.true`. */
function memberAt(json: JsonObject, name: string): Json | undefined {
  const [outer = '', inner] = name.split('.');
  return inner === undefined ? member(json, outer) : member(objectOf(member(json, outer)), inner);
}

function withoutMember(json: JsonObject, name: string): JsonObject {
  const [outer = '', inner] = name.split('.');
  if (inner !== undefined) return { ...json, [outer]: withoutMember(objectOf(member(json, outer)), inner) };
  const { [outer]: _, ...others } = json;
  return others;
}

function withMember(json: JsonObject, name: string, value: Json): JsonObject {
  const [outer = '', inner = ''] = name.split('.');
  return { ...json, [outer]: { ...objectOf(member(json, outer)), [inner]: value } };
}

/** The other members with this one where the winner stood, because findings come in the order of members. */
function inItsPlace(json: JsonObject, others: JsonObject, name: string, winner: string, value: Json): JsonObject {
  const names = Object.keys(json).filter((each) => each === winner || Object.hasOwn(others, each));
  return Object.fromEntries(names.map((each) => (each === winner ? [name, value] : [each, others[each] ?? null])));
}

const ROUTE_ACTIONS: ReadonlyMap<Json, string> = new Map<Json, string>([
  ['step', 'goto'],
  ['workflow', 'run'],
  ['flow', 'run'],
  ['endpoint', 'run'],
]);
const ROUTE_WORDS: ReadonlySet<string> = new Set(['continue', 'reject', 'return', 'goto', 'run']);
const GOTO = object({ synonyms: PART_SYNONYMS.goto, parts: {} });
const RUN = object({ synonyms: PART_SYNONYMS.run, parts: {} });
const ROUTE = object({ synonyms: PART_SYNONYMS.route, parts: { action: (json) => ROUTE_ACTIONS.get(json) ?? json } });

/** A word that is no action names the step to go to. */
function route(json: Json, at: At): Json {
  if (json === false) return { action: 'reject' };
  if (json === 'skip') return { action: 'skip', count: 1 };
  if (typeof json === 'string') return ROUTE_WORDS.has(json) ? { action: json } : { action: 'goto', step: json };
  const named = ROUTE(json, at);
  const { action } = objectOf(named);
  return action === 'goto' ? GOTO(named, at) : action === 'run' ? RUN(named, at) : named;
}

const condition: Part = object({
  synonyms: PART_SYNONYMS.clause,
  parts: { all: (json, at) => each(condition)(json, at), any: (json, at) => each(condition)(json, at) },
});
const rowCondition: Part = (json, at) => (isArray(json) ? each(rowCondition)(json, at) : condition(json, at));
const onMissing = object({ synonyms: PART_SYNONYMS.onMissing, parts: {} });
const onFail = object({ synonyms: PART_SYNONYMS.onFail, parts: {} });
const operations = each(object({ synonyms: PART_SYNONYMS.operation, parts: { when: condition } }));
const cases = each(object({ synonyms: PART_SYNONYMS.case, parts: { when: condition } }));

const search = { where: rowCondition, onMissing };
const loop = { check: condition, steps };

/** The members of steps that hold further parts, by type. */
const PARTS: { readonly [T in StepType]?: Readonly<Record<string, Part>> } = {
  read: { onMissing },
  write: { ops: operations },
  condition: {
    ...{ check: condition, all: each(condition), any: each(condition), routes: each(route), onFail },
    // biome-ignore lint/suspicious/noThenProperty: `then` is a member of the endpoint language
    ...{ then: steps, else: steps },
  },
  assert: { check: condition },
  lookup: search,
  filter: search,
  random_select: search,
  switch: { cases },
  random: { where: condition },
  block: { steps },
  while: loop,
  until: loop,
  foreach: { steps },
  return_on: { check: condition },
};

const ROWS: { readonly [T in StepType]?: Synonyms } = STEP_SYNONYMS;
const ANY_STEP = stepPart({}, {});
const STEP_PARTS: ReadonlyMap<Json | undefined, Part> = new Map(
  stepTypes.map((type) => [type, stepPart(ROWS[type] ?? {}, PARTS[type] ?? {})]),
);

function stepPart(synonyms: Synonyms, parts: Shape['parts']): Part {
  return object({ synonyms, parts: { when: condition, ...parts } });
}

function step(json: Json, at: At): Json {
  return (STEP_PARTS.get(objectOf(json)['type']) ?? ANY_STEP)(json, at);
}

/** A list of steps. One step may stand for a list. */
function steps(json: Json, at: At): Json {
  return isArray(json) ? each(step)(json, at) : step(json, at);
}

const BLOCK = object({ synonyms: LOGIC_SYNONYMS.block, parts: { steps } });

const DEFINITION: Shape = {
  synonyms: { ...LOGIC_SYNONYMS.endpoint, ...LOGIC_SYNONYMS.workflow },
  parts: { check: condition, onFail, steps, blocks: each(BLOCK) },
};
