import { isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml';
import type { Item } from '../../../contract/resources/definition.ts';
import type { Finding } from '../../finding.ts';
import type { ListedKind } from '../../kinds.ts';
import { documentOf } from './yaml.ts';

/** Finds where in an author's file a finding is: line and column of what its pointer names, both from 1. */

/** Most characters that are parsed again for positions, per push, in one turn (3 ms per 1000). Findings beyond that have pointers only. */
const MAX_TEXT = 24 * 1024;

export class ParseBudget {
  #left: number;

  constructor(most = MAX_TEXT) {
    this.#left = most;
  }

  /** Whether there is room left to parse this text. */
  take(text: string): boolean {
    if (text.length > this.#left) return false;
    this.#left -= text.length;
    return true;
  }
}

/** JSON is parsed as YAML too, because it is a subset. */
const OPTIONS = { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;

/** The findings with positions, if the source text is available. */
export function located(kind: ListedKind, { sourceText: text }: Item, found: readonly Finding[], budget: ParseBudget): readonly Finding[] {
  if (typeof text !== 'string' || found.every(({ pointer, line }) => pointer === '' || line !== undefined) || !budget.take(text))
    return found;
  const positions = positionsIn(text, kind);
  return found.map((finding) => ({ ...finding, ...positions.of(finding.pointer) }));
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds the positions of pointers in a text. What the text does not have stands where the definition begins; `null`: it holds none. */
export interface Positions {
  /** The position of the name of the pointer's last member that exists; of an item of a list its beginning. */
  of(pointer: string): Position | null;
  /** The position in the pointer's value: of the first of `words` in it, else of its beginning. For a missing member as {@link of}. */
  valueOf(pointer: string, words: readonly string[]): Position | null;
}

/** `text`: YAML or JSON. `kind`: a wrapper that it may have. */
export function positionsIn(text: string, kind: string): Positions {
  const lines = new LineCounter();
  const root: unknown = documentOf(text, { ...OPTIONS, lineCounter: lines })?.contents ?? null;
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const find = (pointer: string) => (pointer === '' ? null : findNode(root, kind, pointer)) ?? headOf(root);
  return {
    of(pointer) {
      const found = find(pointer);
      return found === null ? null : at(found.at);
    },
    valueOf(pointer, words) {
      const found = find(pointer);
      if (found === null) return null;
      const name = at(found.at);
      const range = found.isWhole && isNode(found.value) ? found.value.range : null;
      if (range == null || range[0] === range[1]) return name;
      const [start, end] = range;
      const word = isPlain(found.value) ? offsetOfWord(text.slice(start, end), words) : null;
      if (word !== null) return at(start + word);
      // A value that begins below its name is a block of lines. The name is a better position for it.
      return at(start).line === name.line ? at(start) : name;
    },
  };
}

/** Whether a value is a scalar, or a list of scalars. In any other value a word may mean something else. */
function isPlain(value: unknown): boolean {
  return isScalar(value) || (isSeq(value) && value.items.every((item) => isScalar(item)));
}

/** The offset of the first of the words that occurs as a whole word. */
function offsetOfWord(text: string, words: readonly string[]): number | null {
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (!/[\w-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + word.length] ?? '')) return at;
    }
  }
  return null;
}

interface FoundNode {
  /** Offset of the last key of the pointer, or of the last one that exists. */
  readonly at: number;
  readonly value: unknown;
  /** Whether the whole pointer exists. */
  readonly isWhole: boolean;
}

/** The id of a definition, else its first member. */
function headOf(root: unknown): FoundNode | null {
  const first = isMap(root) ? root.items[0] : undefined;
  const at = childOf(root, 'id')?.at ?? startOf(first?.key);
  return at === undefined ? null : { at, value: null, isWhole: false };
}

/** Tries the flat layout first, then the wrappers that a source may have. */
function findNode(root: unknown, kind: string, pointer: string): FoundNode | null {
  const parts = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (const wrapper of [[], [kind], ['resource'], ['definition']]) {
    const inner = wrapper.length === 0 ? root : childOf(root, wrapper[0] ?? '')?.value;
    const [first = ''] = parts;
    // A missing member has no position, so its parent's is used once the wrapper is known.
    if (childOf(inner, first) !== undefined) return nearestNode(inner, parts);
  }
  return null;
}

function nearestNode(root: unknown, parts: readonly string[]): FoundNode | null {
  let node: FoundNode | null = null;
  for (const [index, part] of parts.entries()) {
    const child = childOf(node === null ? root : node.value, part);
    if (child === undefined) return node;
    node = { ...child, isWhole: index === parts.length - 1 };
  }
  return node;
}

function childOf(node: unknown, name: string): { readonly at: number; readonly value: unknown } | undefined {
  if (isSeq(node)) {
    const value = /^\d+$/.test(name) ? node.items[Number(name)] : undefined;
    return value === undefined ? undefined : { at: startOf(value) ?? 0, value };
  }
  if (!isMap(node)) return undefined;
  // A plain key counts as spelled, as in the compiler.
  const pair = node.items.find(({ key }) => isScalar(key) && (key.type === 'PLAIN' ? key.source : String(key.value)) === name);
  return pair === undefined ? undefined : { at: startOf(pair.key) ?? 0, value: pair.value };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
