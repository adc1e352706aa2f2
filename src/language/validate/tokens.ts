import type { Findings } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { language } from '../expressions/compilers.ts';
import { LanguageError } from '../expressions/errors.ts';
import { FUNCTION_NAMES } from '../expressions/functions.ts';
import { findTokens, scanTop, wholeCall } from '../expressions/scan.ts';
import { isTake } from '../expressions/take.ts';
import { compileTokenBody, tokensOf } from '../expressions/template.ts';

/** Members that are texts for people: nothing in them is a token. */
const PROSE = new Set(['description', 'notes', 'metadata']);

/** Findings for tokens in the texts of a step or an answer: those that fail every call, and those that never have a value. */
export function tokensFindings(json: Json | undefined, pointer: string, findings: Findings): void {
  if (typeof json === 'string') textFindings(json, pointer, findings);
  else if (isArray(json)) for (const [index, item] of json.entries()) tokensFindings(item, `${pointer}/${index}`, findings);
  else if (isObject(json)) {
    for (const [name, value] of Object.entries(json)) if (!PROSE.has(name)) tokensFindings(value, `${pointer}/${name}`, findings);
  }
}

/** A path and an operator between blanks. A name may hold an operator, but hardly so. */
const CALCULATES = /^-?[A-Za-z_$][\w$.-]*\s+(?:[*/%+-]|[<>]=?|[=!]=|&&)\s+\S/;

function textFindings(text: string, pointer: string, findings: Findings): void {
  const wrong = attempt(() => tokensOf(text).flatMap(({ start, end }) => problemOf(text.slice(start + 2, end - 2)) ?? [])[0]);
  if (wrong !== undefined) findings.add('INVALID_EXPRESSION', pointer, wrong);
}

/** As {@link tokensFindings}, for a text that is a token without braces, such as `from`. */
export function tokenBodyFindings(body: string, pointer: string, findings: Findings): void {
  const wrong = problemOf(body);
  if (wrong !== undefined) findings.add('INVALID_EXPRESSION', pointer, wrong);
}

/** What is wrong inside a token; nested tokens come first. */
function problemOf(body: string): string | undefined {
  for (const { start, end } of findTokens(body)) {
    const inner = problemOf(body.slice(start + 2, end - 2));
    if (inner !== undefined) return inner;
  }
  return attempt(() => {
    compileTokenBody(language, body);
    return missingCall(body);
  });
}

function attempt(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    return error.message;
  }
}

/** The problem of a call that cannot work: the language has functions, but no methods except those that take items. */
function missingCall(body: string): string | undefined {
  const core = (body.split('|', 1)[0] ?? '').trim();
  if (isTake(core)) return undefined;
  const called = wholeCall(core)?.name;
  if (called !== undefined) return FUNCTION_NAMES.has(called) ? undefined : `A token has no function '${called}': it reads as nothing.`;
  if (CALCULATES.test(core))
    return `A token calculates nothing: '{{${core}}}' reads as nothing. In an 'expression', write the operator outside of the braces.`;
  const at = scanTop(core, 0, (char) => char === '(');
  const method = at < 0 ? null : /\.\s*([A-Za-z_]\w*)\s*$/.exec(core.slice(0, at));
  return method === null
    ? undefined
    : `A token calls no methods but 'shift()' and 'pop()' of a list: '${method[1] ?? ''}' reads as nothing.`;
}
