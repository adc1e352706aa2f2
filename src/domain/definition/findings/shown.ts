import type { Diagnostic } from '../../../contract/answers.ts';
import type { Finding } from '../../finding.ts';
import { plainWords } from '../source/wording.ts';

/** Findings in the form that editors read: warnings, which do not make a push fail. */
export function warningsOf(
  found: readonly Finding[],
  about: { readonly resourceKind: string; readonly resourceId: string },
  sourcePath: string,
): Diagnostic[] {
  return found.map(({ code, message, pointer, fix, line, column }) => ({
    severity: 'warning' as const,
    code,
    message: plainWords(message),
    ...about,
    sourcePath,
    ...(pointer === '' ? {} : { sourcePointer: pointer }),
    ...(line === undefined || column === undefined ? {} : { line, column }),
    suggestedFix: fix ?? '',
  }));
}
