/** The result of checking one thing that a node depends on. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do; `null` if nothing is wrong. */
  readonly cure: string | null;
}

export function ok(what: string, found: string): Finding {
  return { what, state: 'ok', found, cure: null };
}

export function warn(what: string, found: string, cure: string): Finding {
  return { what, state: 'warn', found, cure };
}

export function fail(what: string, found: string, cure: string): Finding {
  return { what, state: 'fail', found, cure };
}
