import { JsonError, type JsonLimits, parseJson } from './json-parse.ts';
import type { Json } from './json-value.ts';

/** Parses a text; `undefined` if it is not JSON, for callers that need no reason. */
export function tryParseJson(text: string, limits?: JsonLimits): Json | undefined {
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
