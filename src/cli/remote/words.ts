import type { ReleaseStep } from '../../contract/answers.ts';
import { isArray, isObject, type Json, stringifyJson } from '../../kernel/json.ts';
import { styled } from '../terminal.ts';

/** Texts that are safe to print: they contain nothing that controls a terminal. */

/** Replaces control characters, because players and authors chose these texts. */
export function visible(text: string): string {
  return text.replace(/\p{C}/gu, '\ufffd');
}

/** JSON over several lines, with exact numbers. A value that fits stays on one line. */
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

/** JSON on one line, truncated. */
export function shortJson(value: Json, most = 100): string {
  const text = visible(stringifyJson(value));
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Why, and for which ticket, on one line; empty: neither was said. */
export function whyText({ reason = '', ticket }: { readonly reason?: string | undefined; readonly ticket?: string | undefined }): string {
  return [...(reason === '' ? [] : [reason]), ...(ticket === undefined ? [] : [ticket])].map(visible).join(' · ');
}

/** Who did something, by the name of a person or of a key. */
export function whoText({ by }: Pick<ReleaseStep, 'by'>): string {
  return visible(String(by.label ?? by['keyId'] ?? by['person'] ?? by.kind));
}
