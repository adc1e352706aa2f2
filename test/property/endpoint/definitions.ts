import fc from 'fast-check';
import { ownMembers, type StepType, stepTypes } from '../../../src/contract/resources/step.ts';
import { LOGIC_SYNONYMS, PART_SYNONYMS, type Synonyms } from '../../../src/contract/resources/synonyms.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

/** Definitions of all kinds of steps under all names of their members, some of them several at once, and with values that do not fit. */

type Parts = Record<'steps' | 'step' | 'condition', Json>;

const TEXTS = [
  '',
  'x',
  '{{x}}',
  '{{s1.a}}',
  'input.n',
  '{{input.list}}',
  '1 + {{input.n}}',
  'skip',
  'reject',
  's2',
  'next',
  'run',
  'goto',
  'flow',
  'w',
];
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...TEXTS, null, true, false, 0, 2),
  fc.constantFrom<Json>({ a: 1 }, { a: '{{input.n}}', b: '{{x}}' }, [], [1, '{{input.n}}'], [{ weight: 1 }]),
);

/** An object with some of these members. */
function some(members: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  return fc
    .record({ ...members }, { requiredKeys: [] })
    .map((made) => Object.fromEntries(Object.entries(made).flatMap(([name, each]) => (each === undefined ? [] : [[name, each]]))));
}

function namesOf(synonyms: Synonyms): readonly string[] {
  return Object.values(synonyms).flatMap(({ names }) => names.filter((name) => !name.includes('.')));
}

function membersOf(names: readonly string[], of: fc.Arbitrary<Json> = value) {
  return Object.fromEntries(names.map((name) => [name, of]));
}

const operator = fc.constantFrom<Json>('==', '>', 'exists', 'not_exists', 'contains', 5);
const status = { status: fc.constantFrom<Json>(402, '403', 'x'), count: fc.constantFrom<Json>(1, 'x') };
const words = membersOf([...namesOf(PART_SYNONYMS.onFail), 'reject']);
const route = fc.oneof(
  value,
  some({
    ...membersOf([...namesOf(PART_SYNONYMS.goto), ...namesOf(PART_SYNONYMS.run), 'as'], fc.constantFrom<Json>('s1', 's2', 'w', 5)),
    ...membersOf(
      ['action', 'type'],
      fc.constantFrom<Json>('continue', 'reject', 'return', 'goto', 'step', 'skip', 'run', 'flow', 'workflow', 7),
    ),
    ...words,
    ...status,
  }),
);
const sides = fc.oneof(value, some({ true: route, false: route, pass: route, fail: route }));

const { steps, condition } = fc.letrec<Parts>((tie) => {
  const conditions = fc.array(tie('condition'), { maxLength: 2 });
  const operation = some({
    op: fc.constantFrom<Json>('set', 'inc', 'push', 'pull', 'nope'),
    path: fc.constantFrom<Json>('a', 'b.c', 5),
    ...membersOf(['value', 'match', ...namesOf(PART_SYNONYMS.operation)]),
    when: tie('condition'),
    if: tie('condition'),
  });
  const ofParts: Readonly<Record<string, fc.Arbitrary<Json>>> = {
    ...membersOf(['check', 'condition', 'on', 'when', 'where'], tie('condition')),
    ...membersOf(['all', 'any'], conditions),
    ...membersOf(['steps', 'body', 'then', 'else'], tie('steps')),
    ...membersOf(['onTrue', 'onFalse'], route),
    ...membersOf(['op', 'operator'], operator),
    routes: sides,
    onFail: fc.oneof(value, some({ ...words, ...status })),
    onMissing: fc.oneof(value, some({ ...words, ...status })),
    required: fc.boolean(),
    ops: fc.oneof(value, fc.array(operation, { maxLength: 2 })),
    cases: fc.array(some({ when: tie('condition'), ...membersOf(namesOf(PART_SYNONYMS.case)) }), { maxLength: 2 }),
    collection: fc.constantFrom<Json>('c', 'table'),
    key: fc.constantFrom<Json>('k', '{{x}}'),
    mode: fc.constantFrom<Json>('int', 'weighted', 'template'),
    maxIterations: fc.constant(2),
    ...membersOf(['workflow', 'target'], fc.constantFrom<Json>('w', 'own', '', 'nope')),
    ...membersOf(['ms', 'durationMs', 'sleepMs', 'delayMs'], fc.constantFrom<Json>(1, 2, 'x')),
  };
  const stepOf = (type: StepType): fc.Arbitrary<Json> =>
    fc
      .tuple(
        some(Object.fromEntries([...ownMembers(type), 'when', 'as'].map((name) => [name, ofParts[name] ?? value]))),
        fc.nat({ max: 3 }),
      )
      .map(([members, id]) => ({ id: `s${id}`, type, ...members }));
  return {
    steps: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('step'), { maxLength: 3 }), tie('step'), value),
    step: fc.oneof(...stepTypes.map(stepOf)),
    condition: fc.oneof(
      { depthSize: 'small' },
      some({ ...membersOf(['field', 'left', 'value', 'right', 'expression']), op: operator, operator }),
      value,
      some({ all: conditions, any: conditions }),
      conditions,
    ),
  };
});

const callables = some({ own: some({ steps, body: steps, returns: value }), 'a/b': some({ body: steps }) });

export const endpoints: fc.Arbitrary<JsonObject> = fc
  .tuple(steps, some({ blocks: callables, ...membersOf(namesOf(LOGIC_SYNONYMS.endpoint)) }))
  .map(([own, members]) => ({ steps: own, ...members, response: { body: { s0: '{{s0}}', s1: '{{s1}}', s2: '{{s2}}' } } }));
export const workflows: fc.Arbitrary<JsonObject> = some({ steps, check: condition, condition, onFail: some({ ...words, ...status }) });
