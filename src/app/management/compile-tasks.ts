import type { UpgradedSource } from '../../contract/answers.ts';
import { definitionFindings } from '../../domain/definition/findings/definition.ts';
import type { Finding } from '../../domain/definition/findings/finding.ts';
import { knownFrom, type Lookup, type LookupResult, recordingLookups } from '../../domain/definition/findings/lookups.ts';
import type { ListedKind, SourceKind } from '../../domain/definition/kinds.ts';
import { located, ParseBudget } from '../../domain/definition/positions.ts';
import type { Warning } from '../../domain/definition/problem.ts';
import { listOf, objectOf, stringOf } from '../../domain/definition/read.ts';
import { type Compiled, compileItem } from '../../domain/definition/source.ts';
import { upgradeSource } from '../../domain/definition/upgrade.ts';
import { Refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, parseJson, stringifyJson } from '../../kernel/json.ts';
import type { Compiler, CompilerTask } from '../ports/compiler.ts';

/** The compiler's tasks, wherever they run, and how their answers are read. Both are texts, because they cross threads. */

const KINDS: readonly SourceKind[] = ['collection', 'endpoint', 'workflow', 'library', 'query', 'test'];

/** Runs one task. Never throws because of a definition's content. */
export function perform({ kind, of, text, known }: CompilerTask): string {
  const value = parseJson(text);
  const source = KINDS.find((each) => each === of) ?? 'endpoint';
  switch (kind) {
    case 'compile':
      return stringifyJson(withoutText(compileItem(value, source)));
    case 'judge':
      return stringifyJson(source === 'test' ? {} : judge(source, objectOf(value), answersIn(parseJson(known))));
    case 'upgrade':
      return stringifyJson(upgraded(value));
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
export function compiledIn(answer: string, item: JsonObject): Compiled {
  const compiled = objectOf(parseJson(answer));
  const { ok, resourceId, id } = compiled;
  if (ok !== true) return { ok: false, resourceId: stringOf(resourceId) ?? null, ...problemIn(compiled) };
  const short = objectOf(compiled['definition']);
  const definition = short['sourceText'] === null ? { ...short, sourceText: item['sourceText'] ?? null } : short;
  const warnings = listOf(compiled['warnings']).map(problemIn);
  return { ok: true, definition, id: typeof id === 'string' ? id : null, warnings };
}

function problemIn(json: Json): Warning {
  const { code, message, line, column, missingKey } = objectOf(json);
  return {
    code: typeof code === 'string' ? code : 'VALIDATION_FAILED',
    message: typeof message === 'string' ? message : '',
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof column === 'number' ? { column } : {}),
    ...(missingKey === true ? { missingName: missingKey } : {}),
  };
}

function judge(kind: ListedKind, definition: JsonObject, answers: ReadonlyMap<string, LookupResult>): JsonObject {
  const { known, lookups } = recordingLookups(knownFrom(answers));
  // Nobody waits for this thread, so every finding gets its source position.
  const findings = located(kind, definition, definitionFindings(kind, definition, known), new ParseBudget(Number.POSITIVE_INFINITY));
  return { findings: findings.map((finding) => ({ ...finding })), questions: [...lookups.keys()] };
}

function answersIn(json: Json): ReadonlyMap<string, LookupResult> {
  const entries = Object.entries(objectOf(json));
  return new Map(
    entries.flatMap(([name, value]): [string, LookupResult][] => (typeof value === 'boolean' || isObject(value) ? [[name, value]] : [])),
  );
}

/** Reads an answer to `judge`: the findings, and the questions that led to them. */
export function judgedIn(answer: string): { readonly findings: readonly Finding[]; readonly questions: readonly Lookup[] } {
  const json = objectOf(parseJson(answer));
  const findings = listOf(json['findings']).map((found): Finding => {
    const { code, message, pointer, fix, line, column } = objectOf(found);
    const position = typeof line === 'number' && typeof column === 'number' ? { line, column } : {};
    const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
    return { code: text(code), message: text(message), pointer: text(pointer), ...(typeof fix === 'string' ? { fix } : {}), ...position };
  });
  return { findings, questions: listOf(json['questions']).filter(isQuestion) };
}

function isQuestion(json: Json): json is Lookup {
  return typeof json === 'string' && /^(?:collection|playersCollection|callable|workflow|returns|library|block|table) /.test(json);
}

function upgraded(body: Json): JsonObject {
  const answer = upgradeSource(body);
  if (!(answer instanceof Refusal)) return { answer };
  const { status, code, message, extra } = answer;
  return { refused: { status, code, message, body: extra.body ?? {} } };
}

/** Reads an answer to `upgrade`. Throws the compiler's refusal. */
export function upgradedIn(text: string): UpgradedSource {
  const { refused, answer: upgraded } = objectOf(parseJson(text));
  // The answer is as it was printed by {@link perform}.
  if (!isObject(refused)) return objectOf(upgraded) as unknown as UpgradedSource;
  const { status, code, message, body } = refused;
  throw new Refusal(Number(status), String(code), String(message), { body: objectOf(body) });
}
