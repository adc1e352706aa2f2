/**
 * What goes wrong inside the language: a template, an expression, an operation. The step that meets it turns it into its
 * `400 ENDPOINT_ERROR.<TYPE>`. It takes no stack: it is an author's mistake, not a fault, and it is thrown on a hot path.
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

/** A token of a math text has no value. `compute` tries such entries again once later ones are known. */
export class UnresolvedError extends LanguageError {
  override readonly name: string = 'UnresolvedError';
}

/** What `works` comes to; where the language refuses that, what `otherwise` does. */
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
 * What does not compile fails when a call reaches it, not when it is published: a broken step behind a condition must not take
 * down the endpoint (endpoint-language 8, 14).
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
