import type { Json } from '../../../kernel/json.ts';
import { language } from '../../endpoint/compilers.ts';
import { LanguageError } from '../../endpoint/errors.ts';
import { compileExpression, compileMath } from '../../endpoint/expression.ts';
import { type Findings, isText } from './finding.ts';

/** Findings for an expression that cannot be parsed: every call that reaches it fails. `math`: where only a number is valid. */
export function expressionFindings(text: Json | undefined, pointer: string, findings: Findings, as: 'math' | 'any' = 'any'): void {
  if (!isText(text)) return;
  try {
    (as === 'math' ? compileMath : compileExpression)(language, text);
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    findings.add('INVALID_EXPRESSION', pointer, error.message);
  }
}
