import { readFileSync } from 'node:fs';
import { refusal } from '../../kernel/errors.ts';
import {
  type ExactNumber,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  subtractNumbers,
  toDouble,
  tryParseJson,
} from '../../kernel/json.ts';
import { WrongUsage } from '../wrong-usage.ts';

/** Reads JSON as people write it on a command line. */

/** The input of a call: one JSON object, `key=value` pairs, `-` for standard input, or nothing. */
export async function callInput(words: readonly string[]): Promise<JsonObject> {
  const [first] = words;
  if (first === undefined) return {};
  if (words.length === 1 && (first === '-' || first.trimStart().startsWith('{'))) {
    return objectOf(first === '-' ? await standardInput() : first, first === '-' ? 'standard input' : 'the input');
  }
  return Object.fromEntries(words.map((word) => pairOf(word)));
}

/** A whole document, from a file or (`-`) from standard input. */
export async function documentFrom(file: string): Promise<JsonObject> {
  return objectOf(await textFrom(file), file === '-' ? 'standard input' : file);
}

/** The text of a file, or (`-`) standard input. */
export async function textFrom(file: string): Promise<string> {
  return file === '-' ? standardInput() : readFileSync(file, 'utf8');
}

/** `name+=5`: which sign stands before `=`, if any. */
const CHANGE = /^([^=]+?)(\+|-|\[\]|\?)?=([\s\S]*)$/;

/**
 * The operation for a change of a document: `gold=5` sets, `gold+=5` adds, `gold-=5` subtracts, `items[]="axe"` appends to a list,
 * `name?=Ada` sets a field that has no value yet.
 */
export function operationOf(word: string): JsonObject {
  const [, path, sign, text = ''] = CHANGE.exec(word) ?? [];
  if (path === undefined) throw new WrongUsage(`'${word}' is no change: path=value, path+=5, path-=5, path[]=item or path?=value`);
  const value = jsonOrText(text);
  switch (sign) {
    case '+':
      return { op: 'inc', path, value: numberOf(text, word) };
    case '-':
      return { op: 'inc', path, value: subtractNumbers(0, numberOf(text, word)) };
    case '[]':
      return { op: 'push', path, value };
    case '?':
      return { op: 'set_if_null', path, value };
    default:
      return { op: 'set', path, value };
  }
}

function pairOf(word: string): [string, Json] {
  const cut = word.indexOf('=');
  if (cut < 1) throw new WrongUsage(`'${word}' is no input: write key=value pairs, one JSON object, or - for standard input`);
  return [word.slice(0, cut), jsonOrText(word.slice(cut + 1))];
}

/** The value of a JSON text, or else the text itself: `5`, `true` and `"5"` are JSON, `axe` is a text. */
function jsonOrText(text: string): Json {
  const value = tryParseJson(text);
  return value === undefined ? text : value;
}

/** The number of a text, as exact as it is written. */
function numberOf(text: string, word: string): number | ExactNumber {
  const value = tryParseJson(text);
  if (isNumber(value) && Number.isFinite(toDouble(value))) return value;
  throw new WrongUsage(`'${word}' needs a number`);
}

function objectOf(text: string, from: string): JsonObject {
  const value = parsedArgument(text, from);
  if (isObject(value)) return value;
  throw refusal('VALIDATION_FAILED', `${from} must be one JSON object`);
}

function parsedArgument(text: string, from: string): Json {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw refusal(
      'VALIDATION_FAILED',
      `${from} must be one JSON object, and cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function standardInput(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
