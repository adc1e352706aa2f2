import { z } from 'zod';
import { condition } from './condition.ts';
import { definition } from './definition.ts';
import { field, fieldType } from './field.ts';
import { alsoNamed, anyText, flag, json, map, NOTES, needed, optional, text, wholeNumber, word } from './member.ts';
import { callLimits } from './rate-limits.ts';
import { onFail, steps } from './step.ts';
import { LOGIC_SYNONYMS, sameAs } from './synonyms.ts';

/** The definitions that the server runs: endpoints, workflows, and libraries of blocks. */

const switched = (description: string, initial: boolean) =>
  optional(flag, description, { default: initial, code: 'INVALID_FLAG', expected: 'true or false' });

const INPUT_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

const inputField: z.ZodType = z
  .lazy(() => z.union([anyText, inputObject]))
  .meta({ id: 'InputField', description: 'A member of an input, or its type alone.' });

const { title, enum: allowed, min, max, minimum, maximum, minLength, maxLength, minItems, maxItems } = field.shape;

/** Members of what declares an object: the whole input, or a member of it. */
const ofObjects = {
  properties: optional(z.record(z.string(), inputField), 'Fields of an object.'),
  additionalProperties: optional(z.union([z.boolean(), inputField]), 'Other members: any, none, or those that this field takes.', {
    default: true,
    code: 'INVALID_ADDITIONAL_PROPERTIES',
    expected: 'true, false or a field',
    outer: z.union([z.boolean(), anyText, map]),
  }),
  title,
  description: optional(anyText, 'For people.'),
  notes: optional(json, 'For people.'),
};

export const inputObject = z
  .strictObject({
    type: optional(z.union([anyText, z.array(anyText)]), `What its values are: ${INPUT_TYPES.join(', ')}. Another word takes anything.`),
    required: optional(z.union([z.boolean(), z.array(text)]), 'Whether it must be there; of an object, the names of those that must.'),
    ...ofObjects,
    items: optional(inputField, 'What the items of a list are.'),
    enum: allowed,
    min,
    max,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    pattern: optional(anyText, 'What a text must match, as `matches` of a condition does.', {
      code: 'INVALID_PATTERN',
      expected: 'a text',
    }),
    default: optional(json, 'What it is where it is missing.'),
  })
  .meta({ description: 'A member of an input.' });
alsoNamed.add(inputObject, { pattern: NOTES });

export const input = z
  .strictObject({
    type: optional(anyText, '`object`.'),
    required: optional(z.array(text), 'Those that must be there.'),
    ...ofObjects,
    properties: optional(z.record(z.string(), inputField), 'The members of the input.'),
  })
  .meta({ id: 'Input', description: 'What an endpoint is called with. What does not fit is refused.' });
alsoNamed.add(input, { pattern: NOTES });

export const BUDGET_NAMES = [
  ...([
    'reads',
    'filters',
    'writes',
    'writeOps',
    'maxIterations',
    'nestedCalls',
    'maxWorkflowDepth',
    'maxStepVisits',
    'maxSleepMs',
  ] as const),
] as const;
/** Budgets that an editor's compiler measures. The server accepts them, and a call ignores them. */
export const UNMEASURED_BUDGETS = ['compiledNodes', 'debugTraceBytes', 'wallTimeMs'] as const;

const budgets = z
  .partialRecord(z.enum([...BUDGET_NAMES, ...UNMEASURED_BUDGETS]), z.number().min(0))
  .meta({ id: 'Budgets', description: 'How much a call may do, below the limits of every call.' });

export const response = z
  .strictObject({
    status: optional(wholeNumber(200, 599), 'HTTP status.', { default: 200, code: 'INVALID_STATUS', expected: 'a number from 200 to 599' }),
    body: optional(json, 'What is answered; texts are templates.', { default: { ok: true } }),
    echo: optional(z.array(text), 'Tokens whose values are added to the body.', { code: 'INVALID_ECHO', expected: 'a list of texts' }),
  })
  .meta({ id: 'Response', description: 'What an endpoint answers.' });

/** Who may call, in the words of all tools. */
const EXPOSURES = [
  ...([
    'public',
    'publicly-callable',
    'publicly-accessible',
    'publicly accessible',
    'game-api',
    'external',
    'exposed',
    'internal',
  ] as const),
  ...(['private', 'internal-private', 'reusable', 'reusable-logic', 'reusable logic', 'workflow'] as const),
] as const;

const enabled = switched('`false`: it is for nobody.', true);
const internalOnly = switched('For other endpoints only.', false);
const exposure = optional(word(EXPOSURES), '`internal`: for other endpoints only.', {
  default: 'public',
  code: 'INVALID_EXPOSURE',
  expected: 'public or internal',
});
const aliases = optional(z.record(z.string(), text), 'Short names for paths: `{gold: hero.purse.gold}`.');
export const param = z
  .strictObject({
    type: optional(z.enum([...fieldType.options, 'bool', 'int', 'float', 'list']), 'What is meant. It is not checked.', {
      code: 'INVALID_PARAM_TYPE',
      expected: fieldType.options.join(', '),
    }),
    title,
    description: optional(anyText, 'For people.'),
    notes: optional(json, 'For people.'),
  })
  .meta({ id: 'Param', description: 'What a workflow or a block is given. Nothing is checked, and none has a default.' });
alsoNamed.add(param, { pattern: NOTES });

const params = optional(z.record(z.string(), z.union([anyText, param])), 'What it is given: name → `{type}`.', {
  code: 'INVALID_PARAMS',
  expected: 'an object',
  outer: map,
});
const returns = optional(map, 'Its result: name → value, which may be a template.', { code: 'INVALID_RETURNS', expected: 'an object' });
const kept = optional(json, 'Kept for editors.');

export const block = z
  .looseObject({
    params,
    let: aliases,
    steps: optional(steps, 'The steps.'),
    body: sameAs(LOGIC_SYNONYMS.block, 'body', steps),
    returns,
    description: optional(anyText, 'For people.'),
  })
  .meta({ id: 'Block', description: 'Steps that are called by a name.' });

const blocks = optional(z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/), block), 'Blocks of its own, called by their names.');

/** Pages of the console that show buttons of the game's own. */
export const CONSOLE_PAGES = [...(['player', 'home'] as const)] as const;
export const MAX_LABEL = 60;
export const MAX_CONFIRM = 300;

export const consoleButton = z
  .strictObject({
    page: needed(
      word(CONSOLE_PAGES),
      'Where it stands: `player`, on the page of each player, or `home`, on the first page of the project.',
    ),
    label: needed(text.max(MAX_LABEL), `What stands on it, ${MAX_LABEL} characters at most.`),
    confirm: optional(text.max(MAX_CONFIRM), `What is asked before it runs, ${MAX_CONFIRM} characters at most.`),
  })
  .meta({ id: 'ConsoleButton', description: "A button of the console that runs the endpoint in a person's name." });
alsoNamed.add(consoleButton, { pattern: NOTES });

const method = z.preprocess((value) => (typeof value === 'string' ? value.trim().toUpperCase() : value), z.enum(['GET', 'POST']));

export const endpoint = definition('Endpoint', 'Logic that games and servers call.', {
  skipPlayerAuth: kept,
  skipSboxAuth: kept,
  skipPlatformAuth: kept,
  method: optional(method, 'HTTP method.', { default: 'POST', code: 'INVALID_METHOD', expected: 'GET or POST' }),
  enabled,
  deprecated: switched('It is for nobody any more.', false),
  input: optional(input, 'What it is called with.', { code: 'INVALID_INPUT', expected: 'an object', outer: map }),
  params: kept,
  let: aliases,
  steps: optional(steps, 'The steps, in order.'),
  response: optional(response, 'What it answers.'),
  rateLimits: optional(callLimits, 'How often it may be called.'),
  rateLimit: sameAs(LOGIC_SYNONYMS.endpoint, 'rateLimit', callLimits),
  requiresSecretKey: switched('For dedicated servers only.', false),
  requireReauth: kept,
  record: optional(word(['input']), '`input`: the log keeps the input of calls that store something.', {
    code: 'INVALID_RECORD',
    expected: 'input',
  }),
  console: optional(consoleButton, 'A button of the console runs it.'),
  exposure,
  publiclyCallable: switched('The same as `exposure: public`.', true),
  internalOnly,
  internal: optional(flag, 'The same as `internalOnly`.', { default: false }),
  visibility: kept,
  routes: kept,
  blocks,
  budgets: optional(budgets, 'How much a call may do.'),
});

export const workflow = definition(
  'Workflow',
  'Steps that several endpoints share. They see their params and nothing else of the caller.',
  {
    check: optional(condition, 'What must hold before its steps run.'),
    condition: sameAs(LOGIC_SYNONYMS.workflow, 'condition', condition),
    onFail: optional(onFail, 'How the call is refused where it does not.', { code: 'INVALID_ON_FAIL', expected: 'an object', outer: map }),
    params,
    requires: kept,
    input: kept,
    let: aliases,
    steps: optional(steps, 'The steps, in order.'),
    returns,
    response: kept,
    enabled,
    exposure,
    internalOnly,
    visibility: kept,
    budgets: optional(budgets, 'How much a call may do.'),
    routes: kept,
    builtIn: kept,
    blocks,
  },
);

export const library = definition('Library', 'Blocks of steps, called as `library.block`.', { blocks });
