import type { z } from 'zod';
import { optional, type Written } from './member.ts';

/**
 * Synonyms: several names of one member, all of which authors and tools write. The language puts them under one name, the normal one,
 * before it reads a definition (`src/language/normal`).
 */

/** When a member counts: it is there; it is not null; it is a text that is not empty; or it reads as a text (numbers do, blanks not). */
export type Counts = 'there' | 'given' | 'text' | 'readable';

/** The names of one member. The first of them that counts wins. A name with a dot is a member of a member. */
export interface Row {
  readonly counts: Counts;
  readonly names: readonly string[];
  /** Where this member is a text and the normal name is not there, the other names are ignored. */
  readonly unless?: string;
}

/** Rows by their normal name. */
export type Synonyms = Readonly<Record<string, Row>>;

function row<const C extends Counts, const N extends readonly string[]>(counts: C, ...names: N) {
  return { counts, names };
}

const CODE = row('text', 'errorCode', 'error');

/** Of a refusal, where it is missing that something is found. */
const WORDS = { errorCode: CODE, message: row('text', 'message', 'errorMessage') } as const;
/** Of a refusal by a route. */
const ROUTE_WORDS = { errorCode: CODE, message: row('text', 'errorMessage', 'message') } as const;

const CLAUSE = { field: row('given', 'field', 'left'), op: row('given', 'op', 'operator'), value: row('there', 'value', 'right') } as const;

const BODY = { steps: row('given', 'steps', 'body') } as const;
const LOOP = { check: row('given', 'condition', 'check'), ...BODY } as const;
const CALL = { workflow: row('text', 'workflow', 'target') } as const;

/** Of types of steps. */
export const STEP_SYNONYMS = {
  condition: {
    ...CLAUSE,
    check: { ...row('given', 'check', 'condition'), unless: 'workflow' },
    'routes.true': row('there', 'onTrue', 'routes.true', 'routes.pass'),
    'routes.false': row('there', 'onFalse', 'routes.false', 'routes.fail'),
  },
  assert: WORDS,
  lookup_many: { keys: row('given', 'keys', 'values') },
  object: { fields: row('given', 'fields', 'value') },
  array: { items: row('given', 'items', 'value') },
  compute: { values: row('given', 'values', 'fields') },
  sort: { source: row('given', 'source', 'from') },
  random: { items: row('given', 'items', 'from') },
  workflow: CALL,
  call: CALL,
  block: BODY,
  while: LOOP,
  until: LOOP,
  foreach: { from: row('text', 'from', 'source'), ...BODY },
  return_on: { check: row('given', 'on', 'check', 'condition') },
  sleep: { ms: row('there', 'durationMs', 'ms', 'sleepMs', 'delayMs') },
} as const;

/** Of parts of steps. A route has further ones by its action. */
export const PART_SYNONYMS = {
  clause: CLAUSE,
  // biome-ignore lint/suspicious/noThenProperty: `then` is a member of the endpoint language
  case: { then: row('there', 'then', 'value') },
  operation: { valueExpression: row('given', 'valueExpression', 'expression'), when: row('given', 'when', 'if') },
  onMissing: WORDS,
  onFail: { skip: row('there', 'skip', 'skipSteps', 'steps'), ...ROUTE_WORDS },
  route: { action: row('there', 'action', 'type'), ...ROUTE_WORDS },
  goto: { step: row('text', 'step', 'target', 'goto') },
  run: { workflow: row('text', 'flow', 'workflow', 'endpoint', 'target') },
} as const;

/** Of definitions. */
export const LOGIC_SYNONYMS = {
  block: BODY,
  workflow: { check: row('given', 'check', 'condition') },
  endpoint: { rateLimits: row('given', 'rateLimits', 'rateLimit') },
} as const;

const PATH = row('readable', 'path', 'field');
const ROW_VALUE = {
  name: row('readable', 'name', 'key', 'id'),
  label: row('readable', 'label', 'title'),
  expression: row('readable', 'expression', 'expr', 'valueExpression'),
} as const;

/** Of queries. */
export const QUERY_SYNONYMS = {
  source: { collectionId: row('readable', 'collectionId', 'collection'), alias: row('readable', 'alias', 'as') },
  join: {
    index: row('given', 'index', 'sourceIndex'),
    source: row('readable', 'source', 'as'),
    left: row('readable', 'left', 'local', 'localField', 'from', 'on.left', 'on.local'),
    right: row('readable', 'right', 'foreign', 'foreignField', 'to', 'on.right', 'on.foreign'),
    many: row('given', 'many', 'multiple'),
  },
  column: { ...ROW_VALUE, path: row('readable', 'path', 'field', 'source', 'valuePath') },
  computedValue: { ...ROW_VALUE, path: PATH, default: row('given', 'default', 'defaultValue') },
  metric: { name: row('readable', 'name', 'key'), path: PATH, expression: ROW_VALUE.expression },
  config: {
    expression: row('readable', 'valueExpression', 'fieldExpression', 'expression'),
    fieldLabel: row('readable', 'fieldLabel', 'valueLabel'),
    computed: row('there', 'computedFields', 'computations', 'calculations', 'computed'),
    label: row('readable', 'label', 'title'),
  },
} as const;

/** Of game values. Answers show groups and tables under the names that their author chose, so these have no normal form. */
export const VALUE_SYNONYMS = {
  group: { id: row('readable', 'id', 'group', 'name', 'key'), entries: row('given', 'entries', 'values') },
  table: { id: row('readable', 'id', 'table', 'name', 'key') },
  entry: { key: row('readable', 'key', 'name', 'id') },
  column: { key: row('readable', 'key', 'id', 'name') },
} as const;

/** All names in these rows but the normal ones. */
export type SynonymOf<T extends Synonyms> = { readonly [N in keyof T]: Exclude<T[N]['names'][number], N> }[keyof T];

/** A member that is the same as another. */
export function sameAs<T extends Synonyms, S extends z.ZodType>(rows: T, name: SynonymOf<T>, schema: S): z.ZodOptional<S> {
  return optional(schema, `The same as \`${normalName(rows, name)}\`.`);
}

function normalName(rows: Synonyms, name: string): string {
  return Object.entries(rows).find(([, { names }]) => names.includes(name))?.[0] ?? name;
}

/** The members of an object under their normal names. */
export type Normal<S extends { readonly shape: Readonly<Record<string, z.ZodType>> }, T extends Synonyms> = Omit<Written<S>, SynonymOf<T>>;
