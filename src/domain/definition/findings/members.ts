import type { JsonObject } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import type { Findings } from './finding.ts';

/** What the parts of a step may hold. A member that nobody reads is asked for and not done: it is found (decision 36). */

/** Of every step; the last ones are for people. */
const ANY_STEP = words('id type as when let name label description notes metadata');

const ROWS = 'source table collection from where key required onMissing';
const LOOP = 'steps body maxIterations';

/** Members of each type of step, beside those of every step. */
export const STEP_MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    read: 'collection key required onMissing',
    write: 'collection key ops data',
    delete: 'collection key',
    condition:
      'check condition field left op operator value right expression all any routes onTrue onFalse onFail then else workflow params bindings',
    assert: 'check status errorCode error message errorMessage',
    lookup: ROWS,
    filter: ROWS,
    random_select: `${ROWS} weightField`,
    lookup_many: 'source table collection from key keys values keyField asMap',
    transform: 'expression value set append',
    object: 'fields value',
    array: 'items value',
    merge: 'sources',
    compute: 'values fields mode output',
    switch: 'cases default',
    sort: 'source from by expression direction',
    random: 'mode min max precision items from source table collection where weightField alpha beta',
    workflow: 'workflow target params',
    call: 'target workflow params',
    block: 'steps body',
    while: `condition check ${LOOP}`,
    until: `condition check ${LOOP}`,
    foreach: `from source item ${LOOP}`,
    return: 'value',
    return_on: 'on check condition value',
    sleep: 'ms durationMs sleepMs delayMs',
    webhook: 'url title description color fields',
    response: 'status body echo',
  }).map(([type, own]) => [type, words(own)]),
);

const WORDS_OF_REFUSAL = 'status error errorCode message errorMessage';
export const PARTS = {
  operation: words('op path value valueExpression expression match source reason when if'),
  onMissing: words(WORDS_OF_REFUSAL),
  route: words(`action type ${WORDS_OF_REFUSAL} severity flag webhook step target goto count flow workflow endpoint params as`),
  onFail: words(`action ${WORDS_OF_REFUSAL} severity flag webhook reject skip skipSteps steps clamp`),
  clause: words('field left op operator value right expression all any'),
  case: words('when then value'),
} as const;

export function unknownStepMembers(step: JsonObject, type: string, path: string, findings: Findings): void {
  const own = STEP_MEMBERS.get(type);
  if (own === undefined) return;
  for (const name of Object.keys(step)) {
    if (ANY_STEP.has(name) || own.has(name) || isNote(name)) continue;
    const fix = didYouMean(name, [...own, 'when', 'as']) ?? `It may hold ${[...own].join(', ')}.`;
    findings.add('UNKNOWN_STEP_MEMBER', `${path}/${name}`, `A step of the type '${type}' does nothing with '${name}'.`, fix);
  }
}

export function unknownPartMembers(part: JsonObject, kind: keyof typeof PARTS, path: string, findings: Findings): void {
  const known = PARTS[kind];
  for (const name of Object.keys(part)) {
    if (known.has(name) || isNote(name)) continue;
    const fix = didYouMean(name, known) ?? `It may hold ${[...known].join(', ')}.`;
    findings.add('UNKNOWN_STEP_MEMBER', `${path}/${name}`, `Nothing is done with '${name}' here.`, fix);
  }
}

/** Editors keep notes of their own under such names. */
function isNote(name: string): boolean {
  return name.startsWith('_') || name.startsWith('x-') || name === 'comment';
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
