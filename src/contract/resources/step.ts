import { z } from 'zod';
import { CLAUSE_SHAPE, clause, condition, switchCase } from './condition.ts';
import {
  alsoNamed,
  anyText,
  flag,
  httpStatus,
  json,
  map,
  NOTES,
  needed,
  number,
  optional,
  type Shape,
  templateOr,
  text,
  wholeNumber,
  word,
} from './member.ts';
import { PART_SYNONYMS, STEP_SYNONYMS, sameAs } from './synonyms.ts';

/** Steps of endpoints, workflows and blocks, by `type`. A value may be a template unless stated otherwise. */

const steps: z.ZodType = z.lazy(() => z.array(step)).meta({ id: 'Steps', description: 'Steps, in the order in which they run.' });

/** Members of every step. The last ones are for people to read. */
export const STEP_SHAPE = {
  id: needed(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), 'Names the step: later steps read its result under it.'),
  type: needed(text, 'What the step does.'),
  as: optional(text, 'Another name for its result.'),
  when: optional(condition.nullable(), 'The step is left out unless this holds.'),
  let: optional(z.record(z.string(), text), 'Short names for paths: `{gold: hero.purse.gold}`.'),
  name: optional(json, 'For people.'),
  label: optional(json, 'For people.'),
  description: optional(json, 'For people.'),
  notes: optional(json, 'For people.'),
  metadata: optional(json, 'For tools.'),
};

const status = optional(httpStatus, 'HTTP status, 200 to 599.', {
  default: 400,
  code: 'INVALID_STATUS',
  expected: 'a number from 200 to 599; it is 400',
});
const WORDS_OF_REFUSAL = {
  status,
  errorCode: optional(text, 'The code of the refusal.'),
  error: sameAs(PART_SYNONYMS.onMissing, 'error', text),
  message: optional(anyText, 'What the caller is told; may hold templates.'),
  errorMessage: sameAs(PART_SYNONYMS.onMissing, 'errorMessage', anyText),
};

export const onMissing = z
  .strictObject(WORDS_OF_REFUSAL)
  .meta({ id: 'OnMissing', description: 'How a call is refused where nothing is found.' });

export const ROUTE_ACTIONS = ['continue', 'reject', 'return', 'goto', 'skip', 'run', 'step', 'workflow', 'flow', 'endpoint'] as const;
export const ROUTE_SIDES = ['true', 'false', 'pass', 'fail'] as const;

export const route = z
  .strictObject({
    action: optional(z.enum(ROUTE_ACTIONS), 'Where it goes.'),
    type: sameAs(PART_SYNONYMS.route, 'type', z.enum(ROUTE_ACTIONS)),
    ...WORDS_OF_REFUSAL,
    severity: optional(json, 'Shown in the refusal.'),
    flag: optional(z.boolean(), 'Shown in the refusal.'),
    webhook: optional(z.boolean(), 'Shown in the refusal.'),
    step: optional(text, 'The top-level step to go to.'),
    target: optional(text, 'The step to go to, or what to run.'),
    goto: sameAs(PART_SYNONYMS.goto, 'goto', text),
    count: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), 'How many steps are skipped.', { default: 1 }),
    workflow: optional(text, 'The workflow, internal endpoint or block to run.'),
    flow: sameAs(PART_SYNONYMS.run, 'flow', text),
    endpoint: sameAs(PART_SYNONYMS.run, 'endpoint', text),
    params: optional(map, 'What it is given.'),
    as: optional(text, 'The name of its result. `{id}_run` when left out.'),
  })
  .meta({ id: 'Route', description: 'Where a condition goes.' });

export const onFail = z
  .strictObject({
    action: optional(text, '`skip`, or it refuses.'),
    ...WORDS_OF_REFUSAL,
    severity: optional(json, 'Shown in the refusal.'),
    flag: optional(z.boolean(), 'Shown in the refusal.'),
    webhook: optional(z.boolean(), 'Shown in the refusal.'),
    reject: optional(z.boolean(), '`false`: the call goes on.'),
    skip: optional(json, 'How many steps are skipped, or the step to go to.'),
    skipSteps: sameAs(PART_SYNONYMS.onFail, 'skipSteps', json),
    steps: sameAs(PART_SYNONYMS.onFail, 'steps', json),
    clamp: optional(json, 'Not done: the call is refused.'),
  })
  .meta({ id: 'OnFail', description: 'The older form of a false route.' });

export const OPERATION_WORDS = ['set', 'inc', 'push', 'pull', 'remove', 'delete', 'merge', 'set_if_null'] as const;
export const MAX_OPERATIONS = 100;

export const operation = z
  .strictObject({
    op: needed(templateOr(z.enum(OPERATION_WORDS)), 'What is done.'),
    path: needed(text, 'Dotted path in the document; may hold templates. At most 512 characters.'),
    value: optional(json, 'With what; may be a template.'),
    valueExpression: optional(z.union([text, number]), 'Arithmetic in the place of `value`.'),
    expression: sameAs(PART_SYNONYMS.operation, 'expression', z.union([text, number])),
    match: optional(json, 'Of a `pull`: the members that the items have.'),
    source: optional(anyText, 'What the ledger says wrote it. The endpoint when left out; 64 characters.'),
    reason: optional(anyText, 'What the ledger says why; 256 characters.'),
    when: optional(condition.nullable(), 'The operation is left out unless this holds.'),
    if: sameAs(PART_SYNONYMS.operation, 'if', condition.nullable()),
  })
  .meta({ id: 'Operation', description: 'One change of a document.' });

for (const part of [onMissing, route, onFail, operation]) alsoNamed.add(part, { pattern: NOTES });

const collection = optional(text, 'The collection, by id or name.');
const key = optional(json, 'The document’s key; may be a template. Of a per-player collection: the caller’s own when left out.');
const required = optional(flag, 'The call is refused where nothing is found.', {
  default: false,
  code: 'INVALID_REQUIRED',
  expected: 'true or false',
});
const missing = optional(onMissing, 'How it is refused.', { code: 'INVALID_ON_MISSING', expected: 'an object', outer: map });
const from = optional(text, 'A list or map of the call: a path, `hero.bag`, or a template.');
const check = optional(condition, 'The condition.');
const params = optional(map, 'What it is given; values may be templates.', { code: 'INVALID_PARAMS', expected: 'an object' });
const expression = (description: string) =>
  optional(z.union([text, z.number()]), description, { code: 'INVALID_EXPRESSION', expected: 'a text' });

const ROWS = {
  source: optional(z.union([z.literal('values')]), '`values`: rows of a table of the game values.'),
  table: optional(text, 'The table of the game values.'),
  collection,
  from,
  where: optional(clause, 'Which rows; the field is a path in the row.'),
  key,
  required,
  onMissing: missing,
};

const webhookField = z.looseObject({
  name: needed(text, 'Its title.'),
  value: needed(
    json.refine((value) => value !== undefined),
    'Its text.',
  ),
});

export const webhookEntry = webhookField.extend({ inline: optional(z.boolean(), 'Beside others.') });

const LOOP = {
  steps: optional(steps, 'The steps of each turn.'),
  body: sameAs(STEP_SYNONYMS.while, 'body', steps),
  maxIterations: needed(z.number().int().min(1), 'The most turns; at most 1000.'),
};

const side = z.union([route, text, z.boolean(), z.null()]);

const own = z.registry<{ readonly names: readonly string[] }, z.core.$ZodType>();

function stepOf<const T extends string, S extends Shape>(type: T, description: string, shape: S) {
  const name = type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const schema = z
    .strictObject({ ...STEP_SHAPE, type: needed(z.literal(type), description), ...shape })
    .meta({ id: `${name}Step`, description });
  alsoNamed.add(schema, { pattern: NOTES });
  own.add(schema, { names: Object.keys(shape) });
  return schema;
}

const milliseconds = z.number().min(0).max(300_000);

/** Every type of step. */
export const STEPS = {
  read: stepOf('read', 'Reads a document: its result, or null.', { collection, key, required, onMissing: missing }),
  write: stepOf('write', 'Changes a document, at the end of the call with all others. Its result is the document as it is then.', {
    collection,
    key,
    ops: optional(z.array(operation).min(1).max(MAX_OPERATIONS), 'What is done, in order.'),
    data: optional(map, 'Short for a `set` of each member.'),
  }),
  delete: stepOf('delete', 'Deletes a document.', { collection, key }),
  condition: stepOf('condition', 'Goes one way or another. Its result is whether the condition holds.', {
    check,
    condition: sameAs(STEP_SYNONYMS.condition, 'condition', condition),
    ...CLAUSE_SHAPE,
    routes: optional(
      z.partialRecord(z.enum(ROUTE_SIDES), side),
      'Where it goes: `{false: {action: reject, status: 409, error: TOO_POOR}}`.',
    ),
    onTrue: sameAs(STEP_SYNONYMS.condition, 'onTrue', side),
    onFalse: sameAs(STEP_SYNONYMS.condition, 'onFalse', side),
    onFail: optional(z.union([onFail, z.literal('skip')]), 'The older form of `routes.false`.'),
    // biome-ignore lint/suspicious/noThenProperty: `then` is a member of the endpoint language
    then: optional(steps, 'Steps that run where it holds.'),
    else: optional(steps, 'Steps that run where it does not.'),
    workflow: optional(text, 'The workflow whose check decides.'),
    params,
    bindings: optional(map, 'An older form of `params`: paths without braces.'),
  }),
  assert: stepOf('assert', 'Refuses the call unless a condition holds.', {
    check,
    status,
    errorCode: WORDS_OF_REFUSAL.errorCode,
    error: WORDS_OF_REFUSAL.error,
    message: WORDS_OF_REFUSAL.message,
    errorMessage: WORDS_OF_REFUSAL.errorMessage,
  }),
  lookup: stepOf('lookup', 'The first row that fits, or null.', ROWS),
  filter: stepOf('filter', 'All rows that fit.', ROWS),
  random_select: stepOf('random_select', 'One row that fits, by chance.', {
    ...ROWS,
    weightField: optional(text, 'The member that says how likely a row is.'),
  }),
  lookup_many: stepOf('lookup_many', 'Rows by their keys.', {
    source: ROWS.source,
    table: ROWS.table,
    collection,
    from,
    key,
    keys: optional(json, 'The keys: a list, or a template of one.'),
    values: sameAs(STEP_SYNONYMS.lookup_many, 'values', json),
    keyField: optional(text, 'The member that holds a row’s key.', { default: 'id', code: 'INVALID_KEY_FIELD', expected: 'a text' }),
    asMap: optional(flag, 'Whether the result is key → row, or a list.', {
      default: true,
      code: 'INVALID_AS_MAP',
      expected: 'true or false',
    }),
  }),
  transform: stepOf('transform', 'Makes a value, or changes names of the call.', {
    expression: expression('What is computed: `{{hero.level}} + 1`.'),
    value: optional(json, 'The value; may be a template.'),
    set: optional(z.union([text, map]), 'Path → value: names of the call that change.'),
    append: optional(z.union([text, map]), 'Path → value: lists of the call that grow.'),
  }),
  object: stepOf('object', 'An object of these fields.', {
    fields: optional(json, 'Name → value; values may be templates.'),
    value: sameAs(STEP_SYNONYMS.object, 'value', json),
  }),
  array: stepOf('array', 'A list of these items.', {
    items: needed(templateOr(z.array(json)), 'The items; may be templates.'),
    value: sameAs(STEP_SYNONYMS.array, 'value', json),
  }),
  merge: stepOf('merge', 'One object out of several; later ones win.', {
    sources: needed(json, 'A list of objects; may be templates.'),
  }),
  compute: stepOf('compute', 'Several values, each of which may use the ones before.', {
    values: optional(map, 'Name → expression.'),
    fields: sameAs(STEP_SYNONYMS.compute, 'fields', map),
    mode: optional(text, '`template`: texts are templates, not expressions.'),
    output: optional(word(['scalars', 'object']), '`scalars`: each is a name of its own.', {
      default: 'object',
      code: 'COMPUTE_OUTPUT',
      expected: 'scalars or object',
    }),
  }),
  switch: stepOf('switch', 'The value of the first case that holds.', {
    cases: needed(z.array(switchCase).min(1), 'The cases, in order.'),
    default: optional(json, 'What it gives where none holds.', { default: null }),
  }),
  sort: stepOf('sort', 'A list in order.', {
    source: optional(json, 'The list: a template, `{{rows}}`.'),
    from: sameAs(STEP_SYNONYMS.sort, 'from', json),
    by: optional(text, 'Path in an item.'),
    expression: optional(text, 'What is compared, of the name `item`.'),
    direction: optional(word(['asc', 'desc']), 'The order.', { default: 'asc', code: 'INVALID_SORT_DIRECTION', expected: 'asc or desc' }),
  }),
  random: stepOf('random', 'A number or an item by chance.', {
    mode: optional(word(['int', 'float', 'weighted', 'beta']), 'What is drawn.', {
      default: 'int',
      code: 'INVALID_RANDOM_MODE',
      expected: 'int, float, weighted or beta',
    }),
    min: optional(json, 'The least.', { default: 0 }),
    max: optional(json, 'The most; never drawn by `int`.'),
    precision: optional(json, 'Digits after the point, of `float` and `beta`.', { default: 2 }),
    items: optional(json, 'What `weighted` draws from: a list, or a template of one.'),
    from: sameAs(STEP_SYNONYMS.random, 'from', json),
    source: ROWS.source,
    table: ROWS.table,
    collection,
    where: optional(clause, 'Which items may be drawn, of the name `item`.'),
    weightField: optional(text, 'The member that says how likely an item is.', { default: 'weight' }),
    alpha: optional(json, 'Of `beta`.', { default: 1 }),
    beta: optional(json, 'Of `beta`.', { default: 1 }),
  }),
  workflow: stepOf('workflow', 'Calls a workflow, an internal endpoint or a block: `library.block`.', {
    workflow: optional(text, 'What is called.'),
    target: sameAs(STEP_SYNONYMS.workflow, 'target', text),
    params,
  }),
  call: stepOf('call', 'Calls a block, `library.block`, a workflow or an internal endpoint.', {
    workflow: optional(text, 'What is called.'),
    target: sameAs(STEP_SYNONYMS.call, 'target', text),
    params,
  }),
  block: stepOf('block', 'Steps of its own.', { steps: optional(steps, 'The steps.'), body: sameAs(STEP_SYNONYMS.block, 'body', steps) }),
  while: stepOf('while', 'Repeats its steps while a condition holds.', {
    check,
    condition: sameAs(STEP_SYNONYMS.while, 'condition', condition),
    ...LOOP,
  }),
  until: stepOf('until', 'Repeats its steps until a condition holds.', {
    check,
    condition: sameAs(STEP_SYNONYMS.while, 'condition', condition),
    ...LOOP,
  }),
  foreach: stepOf('foreach', 'Repeats its steps for each item of a list.', {
    from: needed(text, 'The list: a path, `hero.bag`, or a template.'),
    source: sameAs(STEP_SYNONYMS.foreach, 'source', text),
    item: needed(text, 'The name of the item in the steps.'),
    ...LOOP,
  }),
  return: stepOf('return', 'Ends here; its value is the answer or the result.', { value: optional(json, 'The value; may be a template.') }),
  return_on: stepOf('return_on', 'Ends here where a condition holds.', {
    check,
    on: sameAs(STEP_SYNONYMS.return_on, 'on', condition),
    condition: sameAs(STEP_SYNONYMS.return_on, 'condition', condition),
    value: optional(json, 'The value; may be a template.'),
  }),
  sleep: stepOf('sleep', 'The answer comes later by so much; a second in a call at most.', {
    ms: optional(milliseconds, 'Milliseconds.'),
    durationMs: sameAs(STEP_SYNONYMS.sleep, 'durationMs', milliseconds),
    sleepMs: sameAs(STEP_SYNONYMS.sleep, 'sleepMs', milliseconds),
    delayMs: sameAs(STEP_SYNONYMS.sleep, 'delayMs', milliseconds),
  }),
  webhook: stepOf('webhook', 'Posts to a chat once the call is stored.', {
    url: needed(text, 'Where to; may be a template.'),
    title: optional(z.union([anyText, z.number()]), 'At most 256 characters.'),
    description: optional(z.union([anyText, z.number()]), 'At most 4096 characters.'),
    color: optional(z.string().regex(/^#?[0-9a-fA-F]{6}$/), 'Six hex digits.', {
      default: '5865f2',
      code: 'WEBHOOK_COLOR',
      expected: 'six hex digits',
    }),
    fields: optional(z.array(webhookEntry), 'At most 25.', {
      code: 'INVALID_WEBHOOK_FIELDS',
      expected: 'a list of name and value',
      outer: z.array(webhookField),
    }),
  }),
  response: stepOf('response', 'Nothing: editors mark the end with it.', {
    status: optional(json, 'For people.'),
    body: optional(json, 'For people.'),
    echo: optional(json, 'For people.'),
  }),
} as const;

export type StepType = keyof typeof STEPS;
export const stepTypes = Object.keys(STEPS) as readonly StepType[];
export type StepSchema<T extends StepType> = (typeof STEPS)[T];

/** Members that only this type of step has, in the order of the documentation. */
export function ownMembers(type: StepType): readonly string[] {
  return own.get(STEPS[type])?.names ?? [];
}

function all<T>(schemas: Readonly<Record<string, T>>): [T, ...T[]] {
  const [first, ...others] = Object.values(schemas);
  if (first === undefined) throw new Error('There are no steps');
  return [first, ...others];
}

export const step = z.discriminatedUnion('type', all(STEPS)).meta({ id: 'Step', description: 'A step, by its `type`.' });
export { steps };
