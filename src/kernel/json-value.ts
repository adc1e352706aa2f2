/**
 * JSON values in memory: plain objects and arrays as `JSON.parse` makes them, and {@link ExactNumber} where a double would change the
 * number (games send 64-bit ids as numbers). Values are never changed in place: a change copies the path to it.
 */
export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** How `JSON.stringify` prints exact numbers at this moment. `json-text.ts` sets it during one call. */
export const exactRendering: { current: ((text: string) => unknown) | null } = { current: null };

/** A number whose decimal value a double cannot hold; `text` is its JSON text as it was sent. */
export class ExactNumber {
  readonly text: string;
  #double: number | null = null;
  #form: string | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** The nearest double; may be infinite. It is cached, because one long text may be compared with many numbers. */
  get double(): number {
    this.#double ??= Number(this.text);
    return this.#double;
  }

  /** The one text of its decimal value, as `make` makes it; cached for the same reason. */
  form(make: (text: string) => string): string {
    this.#form ??= make(this.text);
    return this.#form;
  }

  /** For `JSON.stringify`. Outside `stringifyJson` and `encodeEvent` it gives the nearest double. */
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

/** Whether a value is a number, in either form. */
export function isNumber(value: Json | undefined): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

export function stringOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A text that is not empty; `null` for everything else. */
export function nonEmptyString(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
