import type { UpgradedSource } from '../../contract/answers.ts';
import { asTextOf, parsedText } from '../../contract/values.ts';
import { definitionFindings } from '../../domain/definition/findings/definition.ts';
import { knownFrom, type Lookup, type LookupResult, recordingLookups } from '../../domain/definition/findings/lookups.ts';
import { upgradeSource } from '../../domain/definition/push/upgrade-source.ts';
import { type Compiled, compileItem } from '../../domain/definition/source/compile.ts';
import { located, ParseBudget } from '../../domain/definition/source/positions.ts';
import type { Finding } from '../../domain/finding.ts';
import { type ListedKind, SOURCE_KINDS } from '../../domain/kinds.ts';
import { Refusal } from '../../kernel/errors.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Compiler, CompilerTask } from '../ports/compiler.ts';

/**
 * The compiler's tasks, wherever they run, and how their answers are read. Both are texts, because they cross threads: what one side prints
 * here, the other reads as the same type.
 */

/** Runs one task. Never throws because of a definition's content. */
export function perform({ kind, of, text, known }: CompilerTask): string {
  const value = parseJson(text);
  const source = SOURCE_KINDS.find((each) => each === of) ?? 'endpoint';
  switch (kind) {
    case 'compile':
      return stringifyJson(withoutText(compileItem(value, source)));
    case 'validate':
      return stringifyJson(source === 'test' ? {} : validate(source, objectOf(value), readAnswers(known)));
    case 'upgrade':
      return stringifyJson(upgrade(value));
  }
}

/** Runs tasks at once, where there is no thread. */
export const COMPILE_HERE: Compiler = { run: async (_projectId, task) => perform(task) };

/** Leaves out the source text, which stays as it was sent. Its place among the members is kept. */
function withoutText(compiled: Compiled): JsonObject {
  if (!compiled.ok) return { ...compiled };
  const { definition, id, warnings } = compiled;
  const short = typeof definition['sourceText'] === 'string' ? { ...definition, sourceText: null } : definition;
  return { ok: true, definition: short, id, warnings: warnings.map((warning) => ({ ...warning })) };
}

/** Reads an answer to `compile`. */
export function readCompiled(answer: string, item: JsonObject): Compiled {
  const compiled = parsedText(asTextOf<Compiled>(answer));
  if (!compiled.ok || compiled.definition['sourceText'] !== null) return compiled;
  return { ...compiled, definition: { ...compiled.definition, sourceText: item['sourceText'] ?? null } };
}

function validate(kind: ListedKind, definition: JsonObject, answers: ReadonlyMap<string, LookupResult>): JsonObject {
  const { known, lookups } = recordingLookups(knownFrom(answers));
  // Nobody waits for this thread, so every finding gets its source position.
  const findings = located(kind, definition, definitionFindings(kind, definition, known), new ParseBudget(Number.POSITIVE_INFINITY));
  return {
    findings: findings.map(({ missing, ...finding }) => (missing === undefined ? finding : { ...finding, missing: { ...missing } })),
    questions: [...lookups.keys()],
  };
}

/** What a validation has to know, by question; null stands for `undefined`. */
type Answers = Readonly<Record<Lookup, Exclude<LookupResult, undefined> | null>>;

function readAnswers(known: string): ReadonlyMap<string, LookupResult> {
  return new Map(Object.entries(parsedText(asTextOf<Answers>(known))).map(([question, answer]) => [question, answer ?? undefined]));
}

interface ValidationAnswer {
  readonly findings: readonly Finding[];
  /** The questions that led to them. */
  readonly questions: readonly Lookup[];
}

/** Reads an answer to `validate`. */
export function readValidation(answer: string): ValidationAnswer {
  return parsedText(asTextOf<ValidationAnswer>(answer));
}

type UpgradeAnswer =
  | { readonly answer: UpgradedSource }
  | { readonly refused: Pick<Refusal, 'status' | 'code' | 'message'> & { readonly body: JsonObject } };

function upgrade(body: Json): JsonObject {
  const answer = upgradeSource(body);
  if (!(answer instanceof Refusal)) return { answer };
  const { status, code, message, extra } = answer;
  return { refused: { status, code, message, body: extra.body ?? {} } };
}

/** Reads an answer to `upgrade`. Throws the compiler's refusal. */
export function readUpgraded(text: string): UpgradedSource {
  const upgraded = parsedText(asTextOf<UpgradeAnswer>(text));
  if ('answer' in upgraded) return upgraded.answer;
  const { status, code, message, body } = upgraded.refused;
  throw new Refusal(status, code, message, { body });
}
