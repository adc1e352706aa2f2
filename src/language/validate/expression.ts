import { type Findings, isText } from '../../domain/finding.ts';
import type { Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { COLLECTION_FUNCTIONS } from '../expressions/collections.ts';
import { language } from '../expressions/compilers.ts';
import { LanguageError } from '../expressions/errors.ts';
import { compileExpression, compileMath } from '../expressions/expression.ts';
import { MATH_FUNCTIONS } from '../expressions/math.ts';

const FUNCTION_NAMES: readonly string[] = [...MATH_FUNCTIONS, ...COLLECTION_FUNCTIONS];

/** Findings for an expression that cannot be parsed: every call that reaches it fails. `math`: where only a number is valid. */
export function expressionFindings(text: Json | undefined, pointer: string, findings: Findings, as: 'math' | 'any' = 'any'): void {
  if (!isText(text)) return;
  try {
    (as === 'math' ? compileMath : compileExpression)(language, text);
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    findings.add('INVALID_EXPRESSION', pointer, error.message, fixOf(text));
  }
}

/** What is probably wrong with an expression that cannot be parsed. */
function fixOf(text: string): string | undefined {
  const code = text.replace(/'[^']*'|"[^"]*"/g, '');
  const open = code.split('(').length - code.split(')').length;
  if (open > 0) return `It opens more parentheses than it closes.`;
  if (open < 0) return `It closes more parentheses than it opens.`;
  const called = [...code.matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name = '']) => name);
  const unknown = called.find((name) => !FUNCTION_NAMES.includes(name));
  return unknown === undefined ? undefined : didYouMean(unknown, FUNCTION_NAMES);
}
