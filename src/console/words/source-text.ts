import { type Document, isCollection, isMap, isScalar, isSeq, type Node, parseDocument, type Scalar } from 'yaml';
import { exactDigits, exactJson, withExactNumbers } from './exact.ts';
import { isSame } from './sheet.ts';
import { type WrittenChange, withChanges } from './written-values.ts';

/** Changes of a definition made to the text that its author wrote. What they do not touch stays as it is: comments, order, spaces. */

export type SourceFormat = 'yaml' | 'json';

const AS_WRITTEN = { indentSeq: false, lineWidth: 0, flowCollectionPadding: true } as const;

/** The text after the changes; `null`: they cannot be made to it. */
export function changedSource(text: string, format: SourceFormat, changes: readonly WrittenChange[]): string | null {
  const before = plainOf(text);
  if (before === undefined) return null;
  const wanted = withChanges(before, changes);
  const attempts = [() => spliced(text, format, changes), () => rewritten(text, format, changes, wanted)];
  for (const attempt of attempts) {
    const made = attempt();
    if (made !== null && isSame(plainOf(made), wanted)) return made;
  }
  return null;
}

/** What a text says, its numbers by their digits. */
export function plainOf(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false });
  return document.errors.length > 0 ? undefined : plainNode(document.contents, document);
}

function plainNode(node: unknown, document: Document.Parsed): unknown {
  if (isSeq(node)) return node.items.map((item) => plainNode(item, document));
  if (isMap(node))
    return Object.fromEntries(node.items.map(({ key, value }) => [String(plainNode(key, document)), plainNode(value, document)]));
  if (isScalar(node)) return plainScalar(node);
  return node === null || node === undefined ? null : (node as Node).toJS(document);
}

function plainScalar({ value, source }: Scalar): unknown {
  const isDigits = typeof value === 'number' && source !== undefined && /^-?\d[\d.eE+-]*$/.test(source);
  return isDigits ? (JSON.parse(withExactNumbers(source)) as unknown) : value;
}

/** Puts other values in the place of scalars, and nothing else; `null`: more is to change. */
function spliced(text: string, format: SourceFormat, changes: readonly WrittenChange[]): string | null {
  if (changes.some(({ does }) => does !== 'set')) return null;
  const document = parseDocument(text, { uniqueKeys: false });
  const cuts = changes.map((change) => {
    const node: unknown = document.getIn(change.path, true);
    if (!isScalar(node) || node.range == null || change.does !== 'set') return null;
    if (typeof change.value === 'object' && change.value !== null) return null;
    const [start, end] = node.range;
    return { start, end, text: scalarText(change.value, format, isQuoted(node)) };
  });
  if (!cuts.every((cut) => cut !== null)) return null;
  const ordered = cuts.sort((one, other) => one.start - other.start);
  let [made, at] = ['', 0];
  for (const cut of ordered) {
    // What a multi-line text ends with belongs to it.
    made += text.slice(at, cut.start) + cut.text + (text.slice(cut.start, cut.end).endsWith('\n') ? '\n' : '');
    at = cut.end;
  }
  return made + text.slice(at);
}

function isQuoted({ type }: Scalar): boolean {
  return type !== undefined && type !== 'PLAIN';
}

/** Text that means itself without quotes, wherever it stands. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+)*$/;
const WORD_OF_YAML = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function scalarText(value: unknown, format: SourceFormat, isQuotedNow: boolean): string {
  const isText = typeof value === 'string' && exactDigits(value) === null;
  if (!isText || format === 'json' || isQuotedNow) return exactJson(value);
  return PLAIN.test(value) && !WORD_OF_YAML.test(value) ? value : JSON.stringify(value);
}

/** The text printed anew with the changes, its comments kept. */
function rewritten(text: string, format: SourceFormat, changes: readonly WrittenChange[], wanted: unknown): string | null {
  if (format === 'json') return `${exactJson(wanted, /^[[{]\s*\n(\t| +)/.exec(text)?.[1]?.length ?? 2)}${text.endsWith('\n') ? '\n' : ''}`;
  const document = parseDocument(text, { uniqueKeys: false, intAsBigInt: true });
  for (const change of changes) if (!changeDocument(document, change)) return null;
  return document.toString(AS_WRITTEN);
}

/** `false`: there is nothing where the change is to be made. */
function changeDocument(document: Document.Parsed, { does, path, ...rest }: WrittenChange): boolean {
  if (does === 'remove') {
    document.deleteIn(path);
    return true;
  }
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isCollection(parent)) return false;
  const node = nodeFor(document, 'value' in rest ? rest.value : null, styleBeside(parent));
  if (does === 'set') document.setIn(path, node);
  else if (isSeq(parent)) parent.items.splice(Number(path.at(-1)), 0, node);
  return true;
}

/** Whether what stands in a list is written on one line: what is put in beside it is, too. */
function styleBeside(parent: Node): boolean {
  const [first] = isSeq(parent) ? parent.items : [];
  return isCollection(first) && first.flow === true;
}

/** A value as a node, with numbers by their digits. */
function nodeFor(document: Document.Parsed, value: unknown, isFlow: boolean): Node {
  const digits = parseDocument(exactJson(value), { intAsBigInt: true }).contents;
  if (digits === null) return document.createNode(value);
  return restyled(digits, isFlow);
}

function restyled(node: Node, isFlow: boolean): Node {
  if (isScalar(node)) {
    const isPlainText = typeof node.value === 'string' && PLAIN.test(node.value) && !WORD_OF_YAML.test(node.value);
    if (isPlainText) node.type = 'PLAIN';
    return node;
  }
  if (!isCollection(node)) return node;
  node.flow = isFlow;
  for (const item of node.items) restyleItem(item, isFlow);
  return node;
}

function restyleItem(item: unknown, isFlow: boolean): void {
  const parts = isScalar(item) || isCollection(item) ? [item] : [Object(item).key, Object(item).value];
  for (const part of parts) if (isScalar(part) || isCollection(part)) restyled(part, isFlow);
}
