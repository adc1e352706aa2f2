import type { SourcePlace } from './schema-completion.ts';

/** Where one writes in a JSON source, which need not be whole yet. */

interface Frame {
  readonly isList: boolean;
  readonly beside: Record<string, string>;
  /** Of an object: the member that is read. */
  name: string | null;
  hasColon: boolean;
  /** Whether a name, or the value, was read. */
  isRead: boolean;
}

/** A text or word that the end is in. */
interface Open {
  readonly isQuoted: boolean;
  readonly word: string;
}

/** Characters behind the place that are looked at. */
const MAX_BELOW = 200_000;
/** Most characters of a value that stands beside. */
const MAX_VALUE = 100;

/** `null`: nothing can be written there but a comma or a bracket. */
export function jsonPlaceAt(text: string, rest = ''): SourcePlace | null {
  const frames: Frame[] = [];
  const open = read(frames, text) ?? { isQuoted: false, word: '' };
  const top = frames.at(-1);
  if (top === undefined || top.isRead) return null;
  const path = frames.slice(0, -1).map(({ isList, name }) => (isList ? '[]' : (name ?? '')));
  const member = top.isList ? '[]' : top.hasColon ? top.name : null;
  // What stands below is beside it, too; the rest of what is being written is not.
  Object.assign(top, { name: null, isRead: true });
  const tail = (open.isQuoted ? /^[^"\n]*"?/ : /^[\w$.+-]*/).exec(rest)?.[0].length ?? 0;
  read(frames, rest.slice(tail, tail + MAX_BELOW), frames.length);
  return { path, member, beside: top.beside, ...open };
}

const TOKEN = /[{}[\],:]|"((?:[^"\\\n]+|\\.)*)("?)|[\w$.+-]+/g;

/** Reads on. Stops where fewer than `least` brackets are open. */
function read(frames: Frame[], text: string, least = 0): Open | null {
  for (const { 0: token, 1: quoted, 2: end, index } of text.matchAll(TOKEN)) {
    const isLast = index + token.length === text.length;
    if (quoted !== undefined && end === '' && isLast) return { isQuoted: true, word: quoted };
    if (quoted === undefined && isLast && /[\w$.+-]$/.test(token)) return { isQuoted: false, word: token };
    take(frames, token, quoted);
    if (frames.length < least) return null;
  }
  return null;
}

function take(frames: Frame[], token: string, quoted: string | undefined): void {
  if (token === '{' || token === '[') {
    frames.push({ isList: token === '[', beside: {}, name: null, hasColon: false, isRead: false });
    return;
  }
  if (token === '}' || token === ']') frames.pop();
  const top = frames.at(-1);
  if (top === undefined) return;
  if (token === ',') Object.assign(top, { name: null, hasColon: false, isRead: false });
  else if (token === ':') Object.assign(top, { hasColon: true, isRead: false });
  else if (!top.isList && !top.hasColon && token !== '}' && token !== ']') Object.assign(top, { name: quoted ?? token, isRead: true });
  else {
    top.isRead = true;
    if (top.name !== null && !Object.hasOwn(top.beside, top.name)) top.beside[top.name] = valueText(quoted ?? token);
  }
}

/** Of an object or a list nothing is told. */
function valueText(token: string): string {
  return token === '}' || token === ']' || token.length > MAX_VALUE ? '' : token;
}
