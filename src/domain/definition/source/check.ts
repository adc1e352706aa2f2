import type { Item } from '../../../contract/resources/definition.ts';
import type { block, library } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import type { query } from '../../../contract/resources/query.ts';
import { STEPS, type StepSchema, type StepType, stepTypes } from '../../../contract/resources/step.ts';
import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import { isReserved, listOf, objectOf } from '../../../kernel/json-read.ts';
import { isDefinitionId, type ListedKind, type SourceKind } from '../../kinds.ts';
import { WIRE_TEXTS } from '../../wire-names.ts';
import type { Problem } from './problem.ts';
import { MAX_DEPTH } from './yaml.ts';

/** Simple checks of every definition before it is stored, by whichever route it was sent. */

/** UTF-8 bytes of a source text. */
const MAX_SOURCE_BYTES = 1024 * 1024;
/** UTF-8 bytes of a stored definition: the escaped source text and what it compiles to. */
const MAX_STORED_BYTES = 4 * 1024 * 1024;

/** A reserved collection id: existing games read players' play time under it. */
const PLAYER_STATS = 'player-stats';

/** Characters that no body may contain. An escape in a YAML text could add them. */
const BAD_TEXT = /\0|\p{Surrogate}/u;

/** What is wrong with the id, or `null`. */
export function idProblem(kind: ListedKind | 'test', id: string): Problem | null {
  const named = kind === 'endpoint' ? 'slug' : 'id';
  const letters = `letters, digits, _${kind === 'endpoint' ? ', .' : ''} or -`;
  if (!isDefinitionId(kind, id)) return invalid(`The ${named} must be 1 to 128 ${letters}, and no reserved word.`);
  return kind === 'collection' ? reservedProblem(id.toLowerCase()) : null;
}

/** Reserved ids of collections, in any letter case, because collections are found in any letter case. */
function reservedProblem(id: string): Problem | null {
  if (id === PLAYER_STATS) return invalid(`The id '${PLAYER_STATS}' is reserved: the server keeps play time under it.`);
  const isReserved = Object.values(WIRE_TEXTS.reservedCollection).some((prefix) => id.startsWith(prefix.toLowerCase()));
  return isReserved ? invalid('Ids with this prefix are reserved.') : null;
}

/** What makes a definition unusable as data (nesting, reserved member names, reserved step ids), or `null`. */
export function contentProblem(value: Json): Problem | null {
  const { steps }: Written<typeof block> = objectOf(value);
  return nameProblem(value, '', 0) ?? ownNameProblem(objectOf(value)) ?? stepProblem(steps);
}

/** What has no structure, so that nothing could be made of it: `null`, or the first of it. */
export function structureProblem(
  kind: SourceKind,
  definition: Written<typeof block> & Written<typeof library> & Written<typeof query>,
): Problem | null {
  if (kind === 'query') return listProblem(definition.sources, 'sources');
  if (kind !== 'endpoint' && kind !== 'workflow' && kind !== 'library') return null;
  return stepsProblem(definition.steps, 'steps') ?? first(Object.entries(objectOf(definition.blocks)), blockProblem);
}

function blockProblem([name, written]: readonly [string, Json]): Problem | null {
  const { steps, body }: Written<typeof block> = objectOf(written);
  return stepsProblem(steps, `blocks.${name}.steps`) ?? stepsProblem(body, `blocks.${name}.body`);
}

function listProblem(value: Json | undefined, path: string): Problem | null {
  return value === undefined || value === null || isArray(value) ? null : invalid(`'${path}' must be a list.`);
}

/** Types of steps that hold a list of steps. Of others, such as `response`, `body` is data. */
const HOLDERS: ReadonlySet<Json | undefined> = new Set(stepTypes.filter((type) => 'steps' in STEPS[type].shape));

function stepsProblem(steps: Json | undefined, path: string): Problem | null {
  return listProblem(steps, path) ?? first([...listOf(steps).entries()], ([index, step]) => oneStepProblem(step, `${path}[${index}]`));
}

function oneStepProblem(written: Json, path: string): Problem | null {
  if (!isObject(written)) return invalid(`'${path}' must be a step, which is an object.`);
  const { type, steps, body }: Written<StepSchema<'block'>> = written;
  if (!HOLDERS.has(type)) return null;
  return stepsProblem(steps, `${path}.steps`) ?? stepsProblem(body, `${path}.body`);
}

function first<T>(items: readonly T[], problem: (item: T) => Problem | null): Problem | null {
  for (const item of items) {
    const found = problem(item);
    if (found !== null) return found;
  }
  return null;
}

/** What is wrong with a source text that was sent, or `null`. */
export function sourceProblem({ sourceText: text }: Item): Problem | null {
  if (text === undefined || text === null) return null;
  return typeof text === 'string' ? sourceTextProblem(text) : invalid(`'sourceText' must be a text.`);
}

/** What is wrong with the size of a source text, or `null`. */
export function sourceTextProblem(text: string): Problem | null {
  return Buffer.byteLength(text, 'utf8') > MAX_SOURCE_BYTES ? invalid(`Source text is larger than ${MAX_SOURCE_BYTES} bytes.`) : null;
}

/** What is wrong with the JSON text that would be stored, or `null`. */
export function storedTextProblem(text: string): Problem | null {
  return Buffer.byteLength(text, 'utf8') > MAX_STORED_BYTES ? invalid(`The definition is larger than ${MAX_STORED_BYTES} bytes.`) : null;
}

export function invalid(message: string): Problem {
  return { code: 'VALIDATION_FAILED', message };
}

function nameProblem(value: Json, path: string, depth: number): Problem | null {
  if (typeof value === 'string' && BAD_TEXT.test(value)) return invalid('A text holds U+0000 or half a surrogate pair.');
  if (!isArray(value) && !isObject(value)) return null;
  if (depth >= MAX_DEPTH) return invalid(`Nested deeper than ${MAX_DEPTH} levels.`);
  for (const [name, inner] of Object.entries(value)) {
    if (BAD_TEXT.test(name)) return invalid('A name holds U+0000 or half a surrogate pair.');
    if (isReserved(name)) return invalid(`The name '${name}' is reserved${path === '' ? '' : ` (in ${path})`}.`);
    const problem = nameProblem(inner, path === '' ? name : `${path}.${name}`, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

function ownNameProblem({ id, slug, name }: Item): Problem | null {
  const reserved = Object.entries({ id, slug, name }).find(([, value]) => typeof value === 'string' && isReserved(value));
  return reserved === undefined ? null : invalid(`This ${reserved[0]} is a reserved word.`);
}

/**
 * The steps of a definition. The ids of steps at any depth are checked, because results are bound under them. Only objects with a `type`
 * are steps; rows of data may have any names.
 */
function stepProblem(value: Json | undefined): Problem | null {
  if (!isArray(value) && !isObject(value)) return null;
  const { type, id, as }: Written<StepSchema<StepType>> = objectOf(value);
  if (typeof type === 'string') {
    const names = [id, as];
    if (names.some((name) => typeof name === 'string' && isReserved(name))) return invalid('A step has a reserved word as its id.');
  }
  for (const inner of Object.values(value)) {
    const problem = stepProblem(inner);
    if (problem !== null) return problem;
  }
  return null;
}
