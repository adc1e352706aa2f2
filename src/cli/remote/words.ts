import { isArray, isObject, type Json, stringifyJson } from '../../kernel/json.ts';
import { styled } from '../terminal.ts';

/** How remote commands print: nothing that could control a terminal. */

/** Control characters are replaced: players and authors chose these texts. */
export function visible(text: string): string {
  return text.replace(/\p{C}/gu, '\ufffd');
}

/** JSON over several lines, with exact numbers. What fits stays in one line. */
export function prettyJson(value: Json, indent = ''): string {
  const whole = stringifyJson(value);
  if ((!isObject(value) && !isArray(value)) || whole.length <= 60) return visible(whole);
  const inner = `${indent}  `;
  const lines = isArray(value)
    ? value.map((item) => `${inner}${prettyJson(item, inner)}`)
    : Object.entries(value).map(([name, item]) => `${inner}${styled('cyan', visible(JSON.stringify(name)))}: ${prettyJson(item, inner)}`);
  const [open, close] = isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** JSON in one line, cut where it is long. */
export function shortJson(value: Json, most = 100): string {
  const text = visible(stringifyJson(value));
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
