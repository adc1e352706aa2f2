import { type ScalarTag, stringify } from 'yaml';
import { parseYaml } from '../domain/definition/source/yaml.ts';
import { ExactNumber, type Json, jsonEquals, prettyJson } from '../kernel/json.ts';
import type { Format } from './kinds.ts';

/** The text of a file with this value. `null`: YAML cannot keep it (too deep, or a key like `<<`); JSON keeps everything. */
export function fileText(value: Json, format: Format): string | null {
  if (format === 'json') return `${prettyJson(value)}\n`;
  const text = stringify(value, { lineWidth: 140, customTags: (tags) => [EXACT_NUMBER, ...tags] });
  const again = parseYaml(Buffer.from(text).toString());
  return again.ok && jsonEquals(again.value, value) ? text : null;
}

/** Prints a number that a double would change with all its digits. Reading is left to the core schema. */
const EXACT_NUMBER: ScalarTag = {
  identify: (value) => value instanceof ExactNumber,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof ExactNumber ? value.text : String(value)),
};
