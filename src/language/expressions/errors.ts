/**
 * An error of the language: in a template, an expression, an operation. The step that it occurs in fails with `400 ENDPOINT_ERROR.<TYPE>`.
 * It has no stack, because it is the author's mistake, not a fault of the server, and is thrown on a hot path.
 */
export class LanguageError extends Error {
  override readonly name: string = 'LanguageError';

  constructor(message: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

/** A token in arithmetic has no value. `compute` tries such entries again when later ones are known. */
export class UnresolvedError extends LanguageError {
  override readonly name: string = 'UnresolvedError';
}

/** The result of `first`, or of `second` if the first throws a {@link LanguageError}. */
export function withFallback<C, R>(first: (context: C) => R, second: (context: C) => R): (context: C) => R {
  return (context) => {
    try {
      return first(context);
    } catch (error) {
      if (!(error instanceof LanguageError)) throw error;
      return second(context);
    }
  };
}

/**
 * Compiles now, and fails later: a text that does not compile fails when a call reaches it. A broken step behind a condition must not
 * disable the whole endpoint.
 */
export function deferred<C, R>(make: () => (context: C) => R): (context: C) => R {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    return () => {
      throw error;
    };
  }
}
