import type { JsonObject } from '../../../kernel/json.ts';
import type { Known } from '../../finding.ts';

/** A lookup is a question about other definitions that validation depends on. Findings stay valid as long as the answers stay the same. */

export type Lookup = `${keyof Known} ${string}`;
export type LookupResult = boolean | JsonObject | undefined;

/** The same answers; every question is recorded with its answer. */
export function recordingLookups(known: Known): { readonly known: Known; readonly lookups: Map<Lookup, LookupResult> } {
  const lookups = new Map<Lookup, LookupResult>();
  const note = <A extends LookupResult>(question: Lookup, answer: A): A => {
    lookups.set(question, answer);
    return answer;
  };
  return {
    lookups,
    known: {
      collection: (name) => note(`collection ${name}`, known.collection(name)),
      playersCollection: (name) => note(`playersCollection ${name}`, known.playersCollection(name)),
      endpoint: (name) => note(`endpoint ${name}`, known.endpoint(name)),
      callable: (name) => note(`callable ${name}`, known.callable(name)),
      workflow: (id) => note(`workflow ${id}`, known.workflow(id)),
      returns: (id) => note(`returns ${id}`, known.returns(id)),
      library: (id) => note(`library ${id}`, known.library(id)),
      block: (name) => note(`block ${name}`, known.block(name)),
      table: (name) => note(`table ${name}`, known.table(name)),
      value: (path) => note(`value ${path}`, known.value(path)),
      closedSchema: (name) => note(`closedSchema ${name}`, known.closedSchema(name)),
    },
  };
}

const QUESTIONS = [
  'collection',
  'playersCollection',
  'endpoint',
  'callable',
  'workflow',
  'returns',
  'library',
  'block',
  'table',
  'value',
  'closedSchema',
] as const;

export function lookUp(known: Known, question: Lookup): LookupResult {
  const space = question.indexOf(' ');
  const name = question.slice(space + 1);
  const what = QUESTIONS.find((each) => each === question.slice(0, space));
  return what === undefined ? undefined : known[what](name);
}

/** The most likely answers, for a validator in another thread, which has no definitions: names exist, and no other definition is needed. */
const LIKELY: Known = {
  collection: () => true,
  playersCollection: () => true,
  endpoint: () => true,
  callable: () => true,
  workflow: () => undefined,
  returns: () => undefined,
  library: () => true,
  block: () => true,
  table: () => true,
  value: () => true,
  closedSchema: () => undefined,
};

/** Gives these answers, and the likely answer to any other question. */
export function knownFrom(answers: ReadonlyMap<string, LookupResult>): Known {
  const flag = (question: Lookup, likely: boolean): boolean => {
    const answer = answers.get(question);
    return typeof answer === 'boolean' ? answer : likely;
  };
  const definition = (question: Lookup): JsonObject | undefined => {
    const answer = answers.get(question);
    return typeof answer === 'object' ? answer : undefined;
  };
  return {
    collection: (name) => flag(`collection ${name}`, LIKELY.collection(name)),
    playersCollection: (name) => flag(`playersCollection ${name}`, LIKELY.playersCollection(name)),
    endpoint: (name) => flag(`endpoint ${name}`, LIKELY.endpoint(name)),
    callable: (name) => flag(`callable ${name}`, LIKELY.callable(name)),
    workflow: (id) => definition(`workflow ${id}`),
    returns: (id) => definition(`returns ${id}`),
    library: (id) => flag(`library ${id}`, LIKELY.library(id)),
    block: (name) => answers.get(`block ${name}`) ?? LIKELY.block(name),
    table: (name) => flag(`table ${name}`, LIKELY.table(name)),
    value: (path) => flag(`value ${path}`, LIKELY.value(path)),
    closedSchema: (name) => definition(`closedSchema ${name}`),
  };
}

/** Whether every question would still get the same answer. Definitions are compared by identity. */
export function isUnchanged(lookups: ReadonlyMap<Lookup, LookupResult>, known: Known): boolean {
  for (const [question, answer] of lookups) if (lookUp(known, question) !== answer) return false;
  return true;
}
