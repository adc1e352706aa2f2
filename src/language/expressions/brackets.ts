import { LanguageError } from './errors.ts';
import { checkParentheses, scanTop } from './scan.ts';

/** Parses paths with brackets, such as `visited[current].cost`, without resolving them. */

/** Names between dots, or the text between brackets; both untrimmed. */
export interface PathPart {
  readonly kind: 'names' | 'key';
  readonly text: string;
}

/** The parts of a path in order; `null` for a path without brackets outside its tokens. Throws if brackets do not match. */
export function bracketParts(text: string): readonly PathPart[] | null {
  if (!text.includes('[')) return null;
  // The text in brackets may hold brackets again, and each level is parsed by a recursive call.
  checkParentheses(text);
  const parts: PathPart[] = [];
  let from = 0;
  let open = -1;
  scanTop(text, 0, (char, at, depth) => {
    if (depth < 0) throw mismatch();
    if (depth > 0) return false;
    if (char === '[') {
      names(parts, text.slice(from, at));
      open = at;
    }
    if (char === ']' && open >= 0) {
      parts.push({ kind: 'key', text: text.slice(open + 1, at) });
      from = at + 1;
      open = -1;
    }
    return false;
  });
  if (open >= 0) throw mismatch();
  if (parts.length === 0) return null;
  names(parts, text.slice(from));
  return parts;
}

/** Checks the text before, between and after brackets: a path begins with a name, and goes on with a dot or another bracket. */
function names(parts: PathPart[], text: string): void {
  const trimmed = text.trim();
  if (parts.length === 0) {
    if (trimmed === '') throw new LanguageError('A path begins with a name.');
    parts.push({ kind: 'names', text: trimmed });
  } else if (trimmed.startsWith('.')) {
    parts.push({ kind: 'names', text: trimmed.slice(1) });
  } else if (trimmed !== '') {
    throw new LanguageError(`Unexpected "${trimmed.slice(0, 20)}" after a bracket.`);
  }
}

function mismatch(): LanguageError {
  return new LanguageError('The brackets of a path do not match.');
}

/** End of a path whose first bracket is at `at`: in `visited[current].cost == 1` it ends before the blank. */
export function bracketPathEnd(text: string, at: number): number {
  let end = at;
  while (text.charAt(end) === '[') {
    const start = end;
    const close = scanTop(text, start, (char, at, depth) => char === ']' && depth === 0 && at > start);
    if (close < 0) throw mismatch();
    end = close + 1 + (/^(?:\.[\w-]+)+/.exec(text.slice(close + 1))?.[0].length ?? 0);
  }
  return end;
}
