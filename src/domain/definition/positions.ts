import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Finding } from './findings/finding.ts';
import type { ListedKind } from './kinds.ts';

/** Where in an author's file a finding is: line and column of what its pointer names, both from 1. */

/** Characters that are read once more for it, of one push, in one turn (3 ms for each 1000): a text that does not fit has its pointers alone. */
const MOST_TEXT = 24 * 1024;

export class Places {
  #left: number;

  constructor(most = MOST_TEXT) {
    this.#left = most;
  }

  /** Whether there is room to read this text. */
  take(text: string): boolean {
    if (text.length > this.#left) return false;
    this.#left -= text.length;
    return true;
  }
}

/** JSON is read as YAML, too: it is a part of it. */
const OPTIONS = { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;

/** The same findings, with their places where the source text is at hand. */
export function located(kind: ListedKind, definition: JsonObject, found: readonly Finding[], places: Places): readonly Finding[] {
  const text = member(definition, 'sourceText');
  if (typeof text !== 'string' || found.every(({ path, line }) => path === '' || line !== undefined) || !places.take(text)) return found;
  const lines = new LineCounter();
  const root: unknown = parseDocument(text, { ...OPTIONS, lineCounter: lines }).contents;
  return found.map((finding) => {
    const offset = finding.path === '' ? null : offsetOf(root, kind, finding.path);
    if (offset === null) return finding;
    const { line, col } = lines.linePos(offset);
    return { ...finding, line, column: col };
  });
}

/** The flat layout first, then the wrappers that a source may have. */
function offsetOf(root: unknown, kind: ListedKind, path: string): number | null {
  const parts = path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (const wrapper of [[], [kind], ['resource'], ['definition']]) {
    const inner = wrapper.length === 0 ? root : childOf(root, wrapper[0] ?? '')?.value;
    const [first = ''] = parts;
    // What is missing has no place of its own: its parent's will do, once its wrapper is known.
    if (childOf(inner, first) !== undefined) return nearestOffset(inner, parts);
  }
  return null;
}

/** Of the key that the pointer ends with, or of the last one on the way that is there. */
function nearestOffset(root: unknown, parts: readonly string[]): number | null {
  let node = root;
  let offset: number | null = null;
  for (const part of parts) {
    const child = childOf(node, part);
    if (child === undefined) break;
    offset = child.at;
    node = child.value;
  }
  return offset;
}

function childOf(node: unknown, name: string): { readonly at: number; readonly value: unknown } | undefined {
  if (isSeq(node)) {
    const value = /^\d+$/.test(name) ? node.items[Number(name)] : undefined;
    return value === undefined ? undefined : { at: startOf(value) ?? 0, value };
  }
  if (!isMap(node)) return undefined;
  // A plain key is its spelling, as where the text is compiled.
  const pair = node.items.find(({ key }) => isScalar(key) && (key.type === 'PLAIN' ? key.source : String(key.value)) === name);
  return pair === undefined ? undefined : { at: startOf(pair.key) ?? 0, value: pair.value };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
