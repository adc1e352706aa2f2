/**
 * An error of the language: in a template, an expression, an operation. The step that meets it turns it into its `400 ENDPOINT_ERROR.<TYPE>`. It
 * has no stack: it is an author's mistake and no fault, and is thrown on a hot path.
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

/** The result of `works`; if the language refuses it, the result of `otherwise`. */
export function firstThat<C, R>(works: (context: C) => R, otherwise: (context: C) => R): (context: C) => R {
  return (context) => {
    try {
      return works(context);
    } catch (error) {
      if (!(error instanceof LanguageError)) throw error;
      return otherwise(context);
    }
  };
}

/**
 * Compiles now and fails later: what does not compile fails when a call reaches it, not when it is published. A broken step behind a condition
 * must not disable the endpoint.
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
