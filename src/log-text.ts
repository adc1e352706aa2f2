import { styleText } from 'node:util';
import { levels } from 'pino';
import { isObject, type Json, tryParseJson } from './kernel/json.ts';

/** Lines of the log as people read them: `12:03:07 warn  database connections were lost  reason=…`, with stacks below. */

const COLOURS: Readonly<Record<string, 'yellow' | 'red' | 'gray'>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
  debug: 'gray',
  trace: 'gray',
};
/** The widest name of a level. */
const WIDTH = 5;
/** What a terminal would obey, or what changes the order of what it shows, line ends included. */
const COMMANDS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The text of a JSON line. A line that is none stays as it is. */
export function logText(line: string): string {
  const parsed = tryParseJson(line);
  if (!isObject(parsed)) return line;
  const { level, time, msg, err, ...facts } = parsed;
  const name = levels.labels[Number(level)] ?? String(level);
  const shownLevel = coloured(name);
  const told = Object.entries(facts).map(([fact, value]) => `${printable(fact)}=${valueText(value)}`);
  const error = isObject(err) ? err : null;
  const message = typeof msg === 'string' ? msg : '';
  if (error !== null && error['message'] !== msg) told.unshift(`reason=${valueText(error['message'])}`);
  return `${[`${clock(time)} ${shownLevel}`, printable(message), ...told].join('  ')}\n${stackText(error?.['stack'])}`;
}

function coloured(name: string): string {
  const colour = COLOURS[name];
  const padded = name.padEnd(WIDTH);
  return colour === undefined ? padded : styleText(colour, padded, { stream: process.stderr });
}

/** The time of day here. */
function clock(time: Json | undefined): string {
  const date = new Date(Number(time));
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** A value without quotes where it is one word. */
function valueText(value: Json | undefined): string {
  const text = typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value ?? null);
  return printable(text);
}

/** The frames of a stack, indented, without its first lines: they repeat the message. */
function stackText(stack: Json | undefined): string {
  if (typeof stack !== 'string') return '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return frames.map((frame) => `    ${printable(frame.trim())}\n`).join('');
}

function printable(text: string): string {
  return text.replace(COMMANDS, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
