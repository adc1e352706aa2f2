/**
 * JSON values as the product holds them in memory: plain objects and arrays as `JSON.parse` makes them, and {@link ExactNumber}
 * where a double would change the value (decision 19). Values are immutable by convention: whoever changes one copies the path.
 */
export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** A number whose decimal value a double cannot hold; `text` is its JSON text as it was sent. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
