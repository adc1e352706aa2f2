import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Finding } from './findings/finding.ts';
import type { ListedKind } from './kinds.ts';

/** Finds where in an author's file a finding is: line and column of what its pointer names, both from 1. */

/** Characters parsed again for this, per push, in one turn (3 ms per 1000). Beyond this, findings have their pointers only. */
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
export function located(kind: ListedKind, definition: JsonObject, found: readonly Finding[], budget: ParseBudget): readonly Finding[] {
  const text = member(definition, 'sourceText');
  if (typeof text !== 'string' || found.every(({ path, line }) => path === '' || line !== undefined) || !budget.take(text)) return found;
  const positions = positionsIn(text, kind);
  return found.map((finding) => ({ ...finding, ...positions(finding.path) }));
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds where the pointers of a definition lie in a text, YAML or JSON; `null`: nowhere. `kind`: a wrapper that the text may have. */
export function positionsIn(text: string, kind: string): (pointer: string) => Position | null {
  const lines = new LineCounter();
  const root: unknown = parseDocument(text, { ...OPTIONS, lineCounter: lines }).contents;
  return (pointer) => {
    const offset = pointer === '' ? null : offsetOf(root, kind, pointer);
    if (offset === null) return null;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}

/** Tries the flat layout first, then the wrappers that a source may have. */
function offsetOf(root: unknown, kind: string, path: string): number | null {
  const parts = path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (const wrapper of [[], [kind], ['resource'], ['definition']]) {
    const inner = wrapper.length === 0 ? root : childOf(root, wrapper[0] ?? '')?.value;
    const [first = ''] = parts;
    // A missing member has no position, so its parent's is used once the wrapper is known.
    if (childOf(inner, first) !== undefined) return nearestOffset(inner, parts);
  }
  return null;
}

/** Offset of the last key of the pointer, or of the last one that exists. */
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
  // A plain key counts as spelled, as in the compiler.
  const pair = node.items.find(({ key }) => isScalar(key) && (key.type === 'PLAIN' ? key.source : String(key.value)) === name);
  return pair === undefined ? undefined : { at: startOf(pair.key) ?? 0, value: pair.value };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
