import { isObject } from './answer.ts';

/** JSON with sorted names and no blanks. Equal values have the same text, so it can be signed. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${stableJson(value[name])}`)
    .join(',')}}`;
}
