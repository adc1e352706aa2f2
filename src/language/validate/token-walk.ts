import { type Findings, isTemplated } from '../../domain/finding.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { nearest } from '../../kernel/nearest.ts';
import { lambdaIn, listPathIn, selectorPathIn } from '../expressions/collections.ts';
import { FUNCTION_NAMES } from '../expressions/functions.ts';
import { findTokens, isOneToken, scanTop, splitArguments, unquoted, wholeCall } from '../expressions/scan.ts';
import { MAX_NESTING } from '../expressions/template.ts';
import { kindOf } from '../steps/registry.ts';
import { documentsAt, itemsOf, nameIgnoringCase, pathFinding } from './fields.ts';
import { listCallIn } from './list-calls.ts';
import type { Suggestions } from './meant.ts';
import { isDocuments, type Shape, type ShapedNames } from './shape.ts';

/** Looks at every token of a definition. */

/** Members that are texts for people, not templates. */
const PROSE = new Set(['description', 'notes', 'metadata', 'sourceText']);
/** Members whose text is calculated, so that it may call functions outside of tokens. */
const CALCULATED = new Set(['expression', 'valueExpression']);
/** A name with members, without brackets, calls and nested tokens. */
const PLAIN_PATH = /^-?\s*([A-Za-z_$][\w$-]*)((?:\s*\.\s*[\w$-]+)*)\s*$/;
/** The names of a path before its first bracket, of which all are whole: `values.prices` of `values.prices[0].cost`. */
const BEFORE_BRACKET = /^-?\s*([A-Za-z_$][\w$-]*)((?:\s*\.\s*[\w$-]+)*)\s*\[/;
const LITERALS = new Set(['true', 'false', 'null', 'undefined']);

/** Most characters that are searched for calls, per definition: some ten milliseconds. */
const MAX_SEARCHED = 1_000_000;

/** Names that a part of a definition sees besides the others. */
type Scope = ReadonlyMap<string, Shape>;

export class TokenWalk {
  readonly #names: ShapedNames;
  readonly #findings: Findings;
  readonly #suggestions: Suggestions;
  readonly #inputs: readonly string[];
  #scope: Scope = new Map();
  #searched = 0;

  /** `inputs`: the declared fields of the input. */
  constructor(names: ShapedNames, findings: Findings, suggestions: Suggestions, inputs: readonly string[]) {
    this.#names = names;
    this.#findings = findings;
    this.#suggestions = suggestions;
    this.#inputs = inputs;
  }

  look(json: Json | undefined, pointer: string, isCalculated = false): void {
    if (typeof json === 'string') this.#text(json, pointer, isCalculated);
    else if (isArray(json)) for (const [index, item] of json.entries()) this.look(item, `${pointer}/${index}`, isCalculated);
    else if (isObject(json)) {
      for (const [name, value] of Object.entries(json)) {
        const scope = this.#scopeOf(json, name);
        this.#within(scope, () => this.#member(json, name, value, `${pointer}/${name}`, isCalculated));
      }
    }
  }

  /** Some members are tokens without braces. In a `where` they are paths in the row. */
  #member(json: JsonObject, name: string, value: Json, pointer: string, isCalculated: boolean): void {
    if (PROSE.has(name)) return;
    const kind = kindOf(json);
    const bare = typeof value === 'string' && !isTemplated(value);
    const inRow = pointer.includes('/where/') && !this.#scope.has('item');
    const isPath = kind?.paths?.includes(name) === true || (name === 'field' && Object.hasOwn(json, 'op'));
    if (bare && !inRow && isPath) this.#body(value, pointer);
    else if (bare && kind?.items?.paths.includes(name) === true) this.#itemPath(this.#itemsOf(kind.items.of(json)), value, pointer);
    else {
      const isCalculation = CALCULATED.has(name) || kind?.calculated?.(json).includes(name) === true;
      this.look(value, pointer, isCalculation || (isCalculated && name !== 'value'));
    }
  }

  /** What a member of a step sees besides the names of the call. */
  #scopeOf(json: JsonObject, name: string): Scope {
    const items = kindOf(json)?.items;
    if (items === undefined || !items.seenBy.includes(name)) return new Map();
    const shape = this.#itemsOf(items.of(json));
    if (items.name === undefined) return this.#itemScope(shape);
    const called = items.name(json);
    return this.#names.isBoundBesidesItems(called) ? new Map() : new Map([[called, shape]]);
  }

  #itemScope(items: Shape): Scope {
    return new Map<string, Shape>([
      ['item', items],
      ['index', 'open'],
    ]);
  }

  /** The items of a list that is named by its path, or by one token. */
  #itemsOf(list: Json | undefined): Shape {
    if (typeof list !== 'string') return 'open';
    const text = isOneToken(list, findTokens(list)) ? list.slice(2, -2) : list;
    const [, root = '', rest = ''] = PLAIN_PATH.exec(text.trim()) ?? [];
    const shape = this.#shapeOf(root);
    const found = isDocuments(shape) ? documentsAt(shape, namesOf(rest)) : null;
    return (found === null ? null : itemsOf(found)) ?? 'open';
  }

  #shapeOf(name: string): Shape | undefined {
    return this.#scope.get(name) ?? this.#names.shapeOf(name);
  }

  #within(scope: Scope, look: () => void): void {
    if (scope.size === 0) {
      look();
      return;
    }
    const outer = this.#scope;
    this.#scope = new Map([...outer, ...scope]);
    look();
    this.#scope = outer;
  }

  #text(text: string, pointer: string, isCalculated: boolean): void {
    const call = isCalculated ? this.#callIn(text) : null;
    if (call === null) {
      // A text with deeper tokens fails every call, which is a finding already, and each level is looked at anew.
      for (const { start, end, depth } of findTokens(text)) if (depth <= MAX_NESTING) this.#body(text.slice(start + 2, end - 2), pointer);
      return;
    }
    this.#text(text.slice(0, call.start), pointer, false);
    this.#text(call.list, pointer, true);
    if (call.selector !== undefined) this.#selector(this.#itemsOf(pathOf(call.list)), call.selector, pointer);
    this.#text(text.slice(call.end), pointer, true);
  }

  #callIn(text: string): ReturnType<typeof listCallIn> {
    if (this.#searched > MAX_SEARCHED) return null;
    this.#searched += text.length;
    return listCallIn(text);
  }

  /** What is done with each item of a list: a lambda, a path in the item, or a text with tokens. */
  #selector(items: Shape, text: string, pointer: string): void {
    const lambda = lambdaIn(text);
    const path = lambda === null ? selectorPathIn(text) : null;
    if (path !== null) this.#itemPath(items, path, pointer);
    else if (lambda === null) this.#within(this.#itemScope(items), () => this.#text(unquoted(text) ?? text, pointer, true));
    else {
      const { parameter, body } = lambda;
      const scope = new Map<string, Shape>([
        [parameter, items],
        ['item', items],
      ]);
      this.#within(scope, () => {
        this.#text(body, pointer, true);
        for (const [root, rest] of pathsIn(body)) if (scope.has(root)) this.#path(root, rest, pointer);
      });
    }
  }

  /** A path in an item: `item.count`, or `count`, which is a name of the call if the item has none like it. */
  #itemPath(items: Shape, path: string, pointer: string): void {
    const [root = '', ...rest] = path.split('.');
    if (!isDocuments(items)) return;
    const named = nameIgnoringCase(items, root);
    if (root === 'item') pathFinding(items, rest.join('.'), pointer, this.#findings);
    else if (named !== undefined) pathFinding(items, [named, ...rest].join('.'), pointer, this.#findings);
    else if (this.#shapeOf(root) === undefined) pathFinding(items, path, pointer, this.#findings);
  }

  #body(body: string, pointer: string): void {
    const bar = scanTop(body, 0, (char) => char === '|');
    const core = (bar < 0 ? body : body.slice(0, bar)).trim();
    const match = PLAIN_PATH.exec(core);
    if (match === null) {
      this.#text(body, pointer, true);
      this.#start(core, pointer);
      return;
    }
    const [, root = '', rest = ''] = match;
    if (!LITERALS.has(core)) this.#path(root, namesOf(rest), pointer);
    if (bar >= 0) this.#text(body.slice(bar), pointer, false);
  }

  /** The names before the first bracket, and game values that a function is given. */
  #start(core: string, pointer: string): void {
    const [, root = '', rest = ''] = BEFORE_BRACKET.exec(core) ?? [];
    if (root !== '') this.#path(root, namesOf(rest), pointer);
    const call = wholeCall(core);
    if (call === null || !FUNCTION_NAMES.has(call.name)) return;
    for (const argument of splitArguments(call.args)) {
      const [, first = '', members = ''] = PLAIN_PATH.exec(argument.trim()) ?? [];
      if (first === 'values') this.#path(first, namesOf(members), pointer);
    }
  }

  #path(root: string, rest: readonly string[], pointer: string): void {
    const [first] = rest;
    const shape = this.#shapeOf(root);
    if (shape === undefined) this.#names.unknown(root, pointer);
    else if (first === undefined) return;
    else if (root === 'input') this.#input(first, pointer);
    else if (root === 'values' && !this.#scope.has(root) && !this.#names.isRebound(root)) this.#value(rest, pointer);
    else if (shape === 'open') return;
    else if (shape === 'plain') this.#never(root, first, [], pointer);
    else if (isDocuments(shape)) pathFinding(shape, rest.join('.'), pointer, this.#findings);
    else if (!shape.includes(first)) this.#never(root, first, shape, pointer);
  }

  #never(root: string, name: string, members: readonly string[], pointer: string): void {
    const has = members.length === 0 ? `'${root}' has no members` : `'${root}' has ${members.join(', ')}`;
    this.#findings.add(
      'UNKNOWN_MEMBER',
      pointer,
      `${has}, so '${root}.${name}' is always nothing.`,
      this.#suggestions.among(name, members, members.length),
    );
  }

  /** A game value: a group or table, and an entry of a group. */
  #value([id = '', name]: readonly string[], pointer: string): void {
    const { known } = this.#findings;
    const missing = (path: string, message: string) =>
      this.#findings.addMissing('VALUE_NOT_FOUND', pointer, message, { kind: 'value', name: path });
    if (!known.value(id)) missing(id, `The game values have no group or table '${id}', so this token is always nothing.`);
    else if (name !== undefined && !known.value(`${id}.${name}`))
      missing(`${id}.${name}`, `The group '${id}' of the game values has no '${name}', so this token is always nothing.`);
  }

  /** An undeclared input field is allowed, but one that looks like a typing error gets a finding. */
  #input(name: string, pointer: string): void {
    if (this.#inputs.includes(name)) return;
    const meant = nearest(name, this.#inputs);
    if (meant === undefined) return;
    this.#findings.add('UNKNOWN_MEMBER', pointer, `The input declares no '${name}'.`, `Did you mean '${meant}'?`);
  }
}

/** The names in `.a.b`. */
function namesOf(rest: string): readonly string[] {
  return rest
    .split('.')
    .slice(1)
    .map((name) => name.trim());
}

/** The path of a list in the first argument of a call: a path, or one token. */
function pathOf(list: string): string {
  return listPathIn(list) === null ? list : (unquoted(list) ?? list);
}

/** The paths in the body of a lambda, outside tokens and quotes. */
function* pathsIn(body: string): Generator<readonly [root: string, rest: readonly string[]]> {
  const words = body.replaceAll(/\{\{.*?\}\}|"[^"]*"|'[^']*'/g, ' ');
  for (const [path] of words.matchAll(/[A-Za-z_][\w-]*(?:\.[\w-]+)+/g)) {
    const [root = '', ...rest] = path.split('.');
    yield [root, rest];
  }
}
