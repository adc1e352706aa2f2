import { JsonError, type JsonLimits, parseJson } from './json-parse.ts';
import type { Json } from './json-value.ts';

/** What a text holds; `undefined` where it is no JSON, for whoever does not mind why. */
export function jsonIn(text: string, limits?: JsonLimits): Json | undefined {
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
