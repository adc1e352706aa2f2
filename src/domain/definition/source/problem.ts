/**
 * What is wrong with a definition. `code` is one of the editor's diagnostic codes, or `VALIDATION_FAILED` for anything outside a source
 * text.
 */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** Position in the source text, both from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The problem is that the definition has no id and no name. */
  readonly missingName?: boolean;
}

/** A problem beside a usable result. */
export interface Warning extends Problem {
  /** Where in the definition; left out: the whole of it. */
  readonly pointer?: string;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

export function failed(
  code: string,
  message: string,
  at?: { readonly line: number; readonly col: number },
): { ok: false; problem: Problem } {
  if (at === undefined || at.line < 1) return { ok: false, problem: { code, message } };
  const position = { line: at.line, column: at.col };
  return { ok: false, problem: { code, message: `${message} (line ${at.line}, column ${at.col})`, ...position } };
}
