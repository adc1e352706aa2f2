import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  type ParseOptions,
  Parser,
  type Scalar,
  type SchemaOptions,
  YAMLParseError,
} from 'yaml';
import type { Json } from '../../../kernel/json.ts';
import { numberFromText } from '../../../kernel/json.ts';
import { failed, type Parsed, type Problem } from './problem.ts';

/**
 * The YAML subset of source files: core types of YAML 1.2, quoted scalars are texts, map keys are always texts (`routes: {false: …}`).
 * Anchors, aliases, tags, merge keys and repeated keys are errors, so a text cannot expand into more than itself.
 */

/** Most levels of maps and lists. */
export const MAX_DEPTH = 64;

/** What the library's parser may have open at once: these levels, the document around them, and a text within. */
const MAX_OPEN = MAX_DEPTH + 2;

/** `uniqueKeys` is off, and {@link Converter} finds repeated keys: the library compares every pair, which takes 20 s for a large map. */
const OPTIONS = { version: '1.2', schema: 'core', intAsBigInt: true, uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;

/** A number that JSON has, too: it keeps all its digits, as in a source of JSON. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

const TOO_DEEP = 'Nested too deeply';

/** Messages of the library that are meant for programmers, by code or by how they begin, reworded for authors. */
const OWN_WORDS: readonly (readonly [string, string])[] = [
  ['MULTIPLE_DOCS', 'A source is one document, and a second one begins here'],
  ['TAB_AS_INDENT', 'Indent with spaces, not with tabs'],
  ['Sequence item without', "This line is indented too little to belong to the list item above it, and does not begin with '- '"],
  ['All mapping items', 'Members of one object begin in the same column; this line begins in another'],
  ['All sequence items', 'Items of one list begin in the same column; this line begins in another'],
  ['A block sequence', 'Items of one list begin in the same column; this line begins in another'],
  [
    'Nested mappings',
    "This value holds another 'name: value': put a text with ': ' in quotes, or indent the next line no deeper than this one",
  ],
  ['Implicit keys need', "This line is no 'name: value': it lacks the colon, or the space behind it"],
  ['Flow map', "A '{' above has no '}', or this line is indented too little to belong to it"],
  ['Flow sequence', "A '[' above has no ']', or this line is indented too little to belong to it"],
  ['Missing closing', 'A text in quotes begins above and does not end'],
];

/** Ends a conversion. It is caught in this file. */
class Stop extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Parses a YAML text. A failure has line and column; never throws. */
export function parseYaml(text: string): Parsed<Json> {
  const lineCounter = new LineCounter();
  try {
    const document = withoutStacks(() => composed(text, { ...OPTIONS, lineCounter }));
    const [error] = document.errors;
    if (error !== undefined) return failed('INVALID_YAML', wordsOf(error), lineCounter.linePos(error.pos[0]));
    if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
      return failed('INVALID_YAML', 'Only YAML 1.2 is understood');
    }
    return { ok: true, value: new Converter(lineCounter).value(document.contents, 0) };
  } catch (error) {
    if (error instanceof TooDeep) return failed('INVALID_YAML', TOO_DEEP, lineCounter.linePos(error.offset));
    if (error instanceof Stop) return { ok: false, problem: error.problem };
    throw error;
  }
}

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** The library's document of a text; `null`: it is nested too deeply. */
export function documentOf(text: string, options: Options): Document.Parsed<ParsedNode> | null {
  try {
    return composed(text, options);
  } catch (error) {
    if (error instanceof TooDeep) return null;
    throw error;
  }
}

/** A text has more levels than {@link MAX_DEPTH}. It is caught in this file. */
class TooDeep extends Error {
  readonly offset: number;
  constructor(offset: number) {
    super(TOO_DEEP);
    this.offset = offset;
  }
}

/** What the library's `parseDocument` does, with a bound on depth. Throws {@link TooDeep}. */
function composed(text: string, options: Options): Document.Parsed<ParsedNode> {
  const tokens = tokensOf(text, options.lineCounter);
  const [document, second] = new Composer(options).compose(tokens, true, text.length);
  if (document === undefined) throw new Error('The library always makes a document');
  if (second !== undefined) document.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''));
  return document;
}

/**
 * The library's parser, with its open levels counted after each step. It and the composer behind it recurse for each level, and at the end
 * of the stack the process may abort instead of throwing: V8 does where it compiles a regular expression there.
 */
function* tokensOf(text: string, lines: LineCounter | undefined): Generator<CST.Token> {
  lines?.addNewLine(0);
  const parser = new Parser(lines?.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_OPEN) throw new TooDeep(offset);
  }
  yield* parser.end();
}

function wordsOf({ code, message }: { readonly code: string; readonly message: string }): string {
  const own = OWN_WORDS.find(([known]) => code === known || message.startsWith(known));
  if (own !== undefined) return own[1];
  return code === 'BAD_SCALAR_START' ? `${message}: put it in quotes` : message;
}

/** Runs without error stacks. The library makes an error for every fault: with stacks, 250 000 commas take ten seconds. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class Converter {
  readonly #lines: LineCounter;
  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  value(node: Node | null, depth: number): Json {
    if (node === null) return null;
    if (isAlias(node)) throw this.#stop('UNSUPPORTED_YAML_ALIAS', 'Aliases (*name) are not supported', node);
    if (node.anchor !== undefined) throw this.#stop('UNSUPPORTED_YAML_ANCHOR', 'Anchors (&name) are not supported', node);
    if (node.tag !== undefined) throw this.#stop('UNSUPPORTED_YAML_TAG', 'Tags (!name) are not supported', node);
    if (isScalar(node)) return this.#scalar(node);
    if (depth >= MAX_DEPTH) throw this.#stop('INVALID_YAML', TOO_DEEP, node);
    if (isSeq<Node | null>(node)) return node.items.map((item) => this.value(item, depth + 1));
    if (isMap<Node | null, Node | null>(node)) return this.#map(node.items, depth + 1);
    throw this.#stop('INVALID_YAML', 'This is not a YAML value', node);
  }

  #map(pairs: readonly Pair<Node | null, Node | null>[], depth: number): Json {
    const members = new Map<string, Json>();
    for (const { key, value } of pairs) {
      const name = this.#key(key);
      if (members.has(name)) throw this.#stop('INVALID_YAML', `The key '${name}' occurs twice`, key);
      members.set(name, this.value(value, depth));
    }
    return Object.fromEntries(members);
  }

  /** A plain key keeps its spelling: `false`, `1.0` and `0x10` are names here, not values. */
  #key(node: Node | null): string {
    if (node === null) return '';
    if (!isScalar(node)) throw this.#stop('INVALID_YAML', 'A key must be a plain text; write a template in quotes', node);
    if (node.anchor !== undefined || node.tag !== undefined) this.value(node, 0);
    if (node.type !== 'PLAIN') return String(node.value ?? '');
    const name = node.source ?? '';
    if (name === '<<') throw this.#stop('INVALID_YAML', 'Merge keys (<<) are not supported', node);
    return name;
  }

  #scalar(node: Scalar): Json {
    const { value, source = '' } = node;
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'bigint') return numberFromText(value.toString());
    if (typeof value === 'number' && JSON_NUMBER.test(source)) return numberFromText(source);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw this.#stop('INVALID_YAML', 'This number has no JSON form', node);
  }

  #stop(code: string, message: string, node: Node | null): Stop {
    const { problem } = failed(code, message, node?.range ? this.#lines.linePos(node.range[0]) : undefined);
    return new Stop(problem);
  }
}
