/**
 * JSON values as the product holds them in memory: plain objects and arrays as `JSON.parse` makes them, and {@link ExactNumber}
 * where a double would change the value (decision 19). Values are immutable by convention: whoever changes one copies the path.
 */
export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** How `JSON.stringify` renders exact numbers right now; `json-text.ts` sets it for the length of one call. */
export const exactRendering: { current: ((text: string) => unknown) | null } = { current: null };

/** A number whose decimal value a double cannot hold; `text` is its JSON text as it was sent. */
export class ExactNumber {
  readonly text: string;
  #double: number | null = null;
  #form: string | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** The nearest double; may be infinite. Kept, as a text of any length may be compared with any number of others. */
  get double(): number {
    this.#double ??= Number(this.text);
    return this.#double;
  }

  /** The one text of its decimal value, kept for the same reason; `make` is how that is made. */
  form(make: (text: string) => string): string {
    this.#form ??= make(this.text);
    return this.#form;
  }

  /** For `JSON.stringify` itself. Outside `stringifyJson` and `encodeEvent` the nearest double must do: say so by not using them. */
  toJSON(): unknown {
    return exactRendering.current === null ? this.double : exactRendering.current(this.text);
  }
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** A number in either form. */
export function isNumber(value: Json | undefined): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}
