import { cacheFindings, findingsOf } from '../../domain/definition/findings/cached-findings.ts';
import { type Lookup, type LookupResult, lookUp } from '../../domain/definition/findings/lookups.ts';
import { type PlannedItem, plan, type ValidItem } from '../../domain/definition/push/plan-item.ts';
import { knownByName } from '../../domain/definition/push/warnings.ts';
import { compileItem, isCompiled, keepCompiled } from '../../domain/definition/source/compile.ts';
import type { PublishTarget } from '../../domain/events.ts';
import type { Known } from '../../domain/finding.ts';
import { isListed, type ListedKind, type SourceKind } from '../../domain/kinds.ts';
import type { DefinitionsState } from '../../domain/states.ts';
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { yielding } from '../../kernel/scheduler.ts';
import type { AppContext } from '../context.ts';
import { readCompiled, readValidation } from './compile-tasks.ts';

/**
 * Does the expensive work of a push before its decision, which is one turn of the event loop. Parsing a source text takes milliseconds for
 * every thousand characters, and validating it a tenth of that. Large texts go to the compiler's thread; small ones are done here, with
 * pauses. The results stay with the items, where the decision finds them.
 */

/** An element of a push, and its kind. */
export type Pushed = readonly [item: Json, kind: SourceKind];

type CompileContext = Pick<AppContext, 'scheduler' | 'compiler'>;

/** Characters of a source text, and of a definition to validate, that take a millisecond or two. */
const SMALL_SOURCE = 1024;
const SMALL_DEFINITION = 4096;

/** Compiles the items of a push and keeps the results with them: large ones in the compiler's thread, small ones here with pauses. */
export async function compileAhead(context: CompileContext, projectId: string, items: readonly Pushed[]): Promise<void> {
  const rest = yielding(context.scheduler);
  for (const [item, kind] of items) {
    if (isObject(item) && isLarge(item) && !isCompiled(item, kind)) await compileInThread(context, projectId, item, kind);
    else compileItem(item, kind);
    await rest();
  }
}

function isLarge(item: JsonObject): boolean {
  const text = item['sourceText'];
  return typeof text === 'string' && text.length > SMALL_SOURCE;
}

async function compileInThread({ compiler }: CompileContext, projectId: string, item: JsonObject, kind: SourceKind): Promise<void> {
  const answer = await compiler.run(projectId, { kind: 'compile', of: kind, text: stringifyJson(item), known: '{}' });
  keepCompiled(item, kind, readCompiled(answer, item));
}

/** The target as it is now. The decision validates again what has changed by then. */
export interface ValidationTarget {
  readonly state: DefinitionsState;
  readonly target: PublishTarget;
}

/** Validates what was compiled. */
export async function validateAhead(
  context: CompileContext,
  projectId: string,
  items: readonly Pushed[],
  { state, target }: ValidationTarget,
): Promise<void> {
  const rest = yielding(context.scheduler);
  const push = new Map<ListedKind, PlannedItem[]>();
  for (const [item, kind] of items) {
    if (kind === 'test' || !isListed(kind)) continue;
    const planned = push.get(kind) ?? [];
    planned.push(plan(state, kind, item, target, planned.length));
    push.set(kind, planned);
    await rest();
  }
  const known = knownByName(state, target, push);
  const texts: Texts = new WeakMap();
  for (const [kind, planned] of push) {
    for (const each of planned) {
      if (!each.ok) continue;
      if (each.put.text.length > SMALL_DEFINITION) await validateInThread(context, projectId, kind, each, { known, texts });
      else findingsOf(kind, each.definition, known);
      await rest();
    }
  }
}

/** Rounds of questions about what a workflow refers to. A push that needs more is validated in its decision. */
const MAX_ROUNDS = 6;

/** The thread assumes likely answers and reports its questions. If an answer was wrong, it gets the right one and validates again. */
async function validateInThread(
  { compiler }: CompileContext,
  projectId: string,
  kind: ListedKind,
  { put, definition }: ValidItem,
  { known, texts }: { readonly known: Known; readonly texts: Texts },
): Promise<void> {
  const given = new Map<Lookup, LookupResult>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const text = answersText(given, texts);
    const { findings, questions } = readValidation(
      await compiler.run(projectId, { kind: 'validate', of: kind, text: put.text, known: text }),
    );
    const answers = new Map(questions.map((question) => [question, lookUp(known, question)]));
    const isTrue = [...answers].every(([question, answer]) => answer === (given.has(question) ? given.get(question) : likely(question)));
    if (isTrue) {
      cacheFindings(kind, definition, { lookups: answers, findings });
      return;
    }
    for (const [question, answer] of answers) given.set(question, answer);
  }
}

/**
 * Texts of the definitions that the thread was given in this push: many items may import the same ones, and printing all of them for each
 * would take too long.
 */
type Texts = WeakMap<JsonObject, string>;

function answersText(given: ReadonlyMap<Lookup, LookupResult>, texts: Texts): string {
  return `{${[...given].map(([question, answer]) => `${stringifyJson(question)}:${answerText(answer, texts)}`).join(',')}}`;
}

function answerText(answer: LookupResult, texts: Texts): string {
  if (answer === undefined || typeof answer === 'boolean') return stringifyJson(answer ?? null);
  const text = texts.get(answer) ?? stringifyJson(answer);
  texts.set(answer, text);
  return text;
}

function likely(question: Lookup): LookupResult {
  return /^(?:workflow|returns|closedSchema) /.test(question) ? undefined : true;
}
