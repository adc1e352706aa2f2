import type { block, endpoint, input, workflow } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import type { STEPS } from '../../../contract/resources/step.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { didYouMean, nearest } from '../../../kernel/nearest.ts';
import { findTokens, scanTop } from '../../endpoint/scan.ts';
import { PLAYER_TEMPLATE_NAMES } from '../../wire-names.ts';
import { isInternal } from '../models.ts';
import { objectOf, stringOf } from '../read.ts';
import { type ClosedDocuments, documentsOf, pathFinding, rowsOf } from './fields.ts';
import { type Findings, isText } from './finding.ts';

/** Findings for tokens that never have a value: names that nothing binds, and members that the bound value never has. */

const BUILT_IN = [
  ...['input', 'values', 'platformId', 'playerKey', 'projectId', 'now', 'params', 'item', 'index', 'row'],
  ...['_unixMs', '_unixS', '_hasSecretKey', '_isDedicatedServer', '_dateUTC', '_timeUTC', '_datetimeUTC'],
  ...['_year', '_month', '_day', '_hour', '_minute', '_dayOfWeek', ...PLAYER_TEMPLATE_NAMES],
];

/** Steps that bind nothing under their name. */
const BINDS_NOTHING = new Set(['delete', 'return', 'return_on', 'sleep', 'block', 'while', 'until', 'foreach', 'response']);
/** Steps whose result is a number or a flag, which has no members. */
const PLAIN_RESULT = new Set(['condition', 'assert', 'random']);

/** Members that a name may have: only these, none, any, or the fields of a document. */
type Shape = readonly string[] | 'plain' | 'open' | ClosedDocuments;

/** An endpoint, a workflow or a block. */
type Logic = Written<typeof endpoint> & Written<typeof workflow> & Written<typeof block>;

/** Any object in a definition: a definition, a step of any type, a route. */
type Anything = Written<typeof STEPS.foreach> &
  Written<typeof STEPS.compute> &
  Written<typeof STEPS.transform> &
  Written<typeof STEPS.call> &
  Written<typeof STEPS.read>;

/** `parts`: members of the definition that hold tokens. `at`: position of the definition, for a block in its library. */
export function namesFindings(definition: Logic, parts: readonly (keyof Logic)[], findings: Findings, isCalled: boolean, at = ''): void {
  const names = new Names(findings);
  names.gather(definition);
  const declared: Written<typeof input> = objectOf(definition.input);
  const inputs = Object.keys(objectOf(declared.properties));
  const walk = new TokenWalk(names, findings, inputs, isCalled || isInternal(definition));
  for (const part of parts) walk.look(definition[part], `${at}/${part}`);
}

/** Every name that a definition binds anywhere. The order of steps does not matter, because a loop may return to an earlier one. */
class Names {
  readonly #shapes = new Map<string, Shape>(BUILT_IN.map((name) => [name, 'open']));
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  get all(): Iterable<string> {
    return this.#shapes.keys();
  }

  get count(): number {
    return this.#shapes.size;
  }

  shapeOf(name: string): Shape | undefined {
    return this.#shapes.get(name);
  }

  gather(json: Json | undefined): void {
    if (isArray(json)) for (const item of json) this.gather(item);
    else if (isObject(json)) {
      this.#ofObject(json);
      for (const value of Object.values(json)) this.gather(value);
    }
  }

  /** Adds the names that a step or a route binds. An object that only looks like one adds a name too many; at worst a finding is missed. */
  #ofObject(json: Anything): void {
    for (const part of ['let', 'params'] as const) for (const name of Object.keys(objectOf(json[part]))) this.#add(name, 'open');
    const { type } = json;
    const name = stringOf(json.as) ?? stringOf(json.id);
    for (const verb of ['set', 'append'] as const) this.#targets(json[verb]);
    if (type === 'foreach') this.#add(stringOf(json.item) ?? 'item', 'open');
    if (type === 'compute') for (const each of Object.keys(objectOf(json.values ?? json.fields))) this.#scalar(json, each);
    if (name !== undefined) this.#add(`${stringOf(json.id) ?? name}_run`, 'open');
    if (name === undefined || (isText(type) && BINDS_NOTHING.has(type))) return;
    this.#add(name, isText(type) ? this.#shapeOfStep(json, type) : 'open');
  }

  #scalar(step: Anything, name: string): void {
    if (step.output === 'scalars') this.#add(name, 'open');
  }

  #targets(target: Json | undefined): void {
    const paths = isText(target) ? [target] : Object.keys(objectOf(target));
    for (const path of paths) this.#add(path.split(/[.[]/, 1)[0]?.trim() ?? '', 'open');
  }

  /** A name that is bound in two ways may have the members of both. */
  #add(name: string, shape: Shape): void {
    const before = this.#shapes.get(name);
    this.#shapes.set(name, before === undefined || isSame(before, shape) ? shape : 'open');
  }

  #shapeOfStep(step: Anything, type: string): Shape {
    if (type === 'random' && step.mode === 'weighted') return 'open';
    if (PLAIN_RESULT.has(type)) return step.workflow === undefined ? 'plain' : 'open';
    if (type === 'compute' && step.output !== 'scalars') return keysOf(step.values ?? step.fields);
    if (type === 'object') return keysOf(step.fields ?? step.value);
    if (type === 'read' || type === 'write') return documentsOf(step.collection, this.#findings) ?? 'open';
    if (type === 'lookup' || type === 'random_select') return rowsOf(step, this.#findings) ?? 'open';
    if (type !== 'workflow' && type !== 'call') return 'open';
    const called = stringOf(step.workflow) ?? stringOf(step.target);
    return called === undefined ? 'open' : keysOf(this.#findings.known.returns(called));
  }
}

/** Two shapes under one name agree if both are documents of one collection. */
function isSame(one: Shape, other: Shape): boolean {
  return isDocuments(one) && isDocuments(other) && one.root === other.root;
}

function isDocuments(shape: Shape): shape is ClosedDocuments {
  return typeof shape === 'object' && 'root' in shape;
}

function keysOf(json: Json | undefined): Shape {
  return isObject(json) ? Object.keys(json) : 'open';
}

/** Members that are texts for people, not templates. */
const PROSE = new Set(['description', 'notes', 'metadata', 'sourceText']);
/** A name with members, without brackets, calls and nested tokens. */
const PLAIN_PATH = /^-?\s*([A-Za-z_$][\w$-]*)((?:\s*\.\s*[\w$-]+)*)\s*$/;
const LITERALS = new Set(['true', 'false', 'null', 'undefined']);

/** Most comparisons of names for suggestions, per definition. So many take some ten milliseconds. */
const MAX_COMPARISONS = 20_000;

class TokenWalk {
  readonly #names: Names;
  readonly #findings: Findings;
  readonly #inputs: readonly string[];
  /**
   * Whether other definitions may call it, with params that it does not declare. Then an unknown name is a finding only if a known one is
   * similar.
   */
  readonly #isCalled: boolean;
  /** Suggestions by unknown name. */
  readonly #meant = new Map<string, string | undefined>();
  #comparisons = MAX_COMPARISONS;

  constructor(names: Names, findings: Findings, inputs: readonly string[], isCalled: boolean) {
    this.#names = names;
    this.#findings = findings;
    this.#inputs = inputs;
    this.#isCalled = isCalled;
  }

  look(json: Json | undefined, pointer: string): void {
    if (typeof json === 'string') this.#tokens(json, pointer);
    else if (isArray(json)) for (const [index, item] of json.entries()) this.look(item, `${pointer}/${index}`);
    else if (isObject(json)) for (const [name, value] of Object.entries(json)) this.#member(json, name, value, `${pointer}/${name}`);
  }

  /** Some members are tokens without braces. In a `where` they are paths in the row. */
  #member(json: JsonObject, name: string, value: Json, pointer: string): void {
    if (PROSE.has(name)) return;
    const bare = typeof value === 'string' && !value.includes('{{') && !pointer.includes('/where/');
    if (bare && ((name === 'field' && Object.hasOwn(json, 'op')) || (name === 'from' && Object.hasOwn(json, 'type'))))
      this.#body(value, pointer);
    else this.look(value, pointer);
  }

  #tokens(text: string, pointer: string): void {
    for (const { start, end } of findTokens(text)) this.#body(text.slice(start + 2, end - 2), pointer);
  }

  #body(body: string, pointer: string): void {
    if (body.includes('{{')) {
      this.#tokens(body, pointer);
      return;
    }
    const bar = scanTop(body, 0, (char) => char === '|');
    const core = (bar < 0 ? body : body.slice(0, bar)).trim();
    const match = PLAIN_PATH.exec(core);
    if (match === null || LITERALS.has(core)) return;
    const [, root = '', rest = ''] = match;
    this.#path(
      root,
      rest
        .split('.')
        .slice(1)
        .map((name) => name.trim()),
      pointer,
    );
  }

  #path(root: string, rest: readonly string[], pointer: string): void {
    const [first] = rest;
    const shape = this.#names.shapeOf(root);
    if (shape === undefined) this.#unknown(root, pointer);
    else if (first === undefined) return;
    else if (root === 'input') this.#input(first, pointer);
    else if (shape === 'open') return;
    else if (shape === 'plain') this.#never(root, first, [], pointer);
    else if (isDocuments(shape)) pathFinding(shape, rest.join('.'), pointer, this.#findings);
    else if (!shape.includes(first)) this.#never(root, first, shape, pointer);
  }

  #unknown(root: string, pointer: string): void {
    const meant = this.#meantBy(root);
    if (this.#isCalled && meant === undefined) return;
    this.#findings.add('UNKNOWN_NAME', pointer, `Nothing here is called '${root}', so this token is always nothing.`, meant);
  }

  /** The suggestion for an unknown name. It is bounded: a definition may have thousands of tokens and thousands of names. */
  #meantBy(root: string): string | undefined {
    if (this.#meant.has(root)) return this.#meant.get(root);
    const meant = this.#among(root, this.#names.all, this.#names.count);
    this.#meant.set(root, meant);
    return meant;
  }

  #among(name: string, known: Iterable<string> & { readonly length?: number }, count = known.length ?? 0): string | undefined {
    if (count > this.#comparisons) return undefined;
    this.#comparisons -= count;
    return didYouMean(name, known);
  }

  #never(root: string, name: string, members: readonly string[], pointer: string): void {
    const has = members.length === 0 ? `'${root}' has no members` : `'${root}' has ${members.join(', ')}`;
    this.#findings.add('UNKNOWN_MEMBER', pointer, `${has}, so '${root}.${name}' is always nothing.`, this.#among(name, members));
  }

  /** An undeclared input field is allowed, but one that looks like a typing error gets a finding. */
  #input(name: string, pointer: string): void {
    if (this.#inputs.includes(name)) return;
    const meant = nearest(name, this.#inputs);
    if (meant === undefined) return;
    this.#findings.add('UNKNOWN_MEMBER', pointer, `The input declares no '${name}'.`, `Did you mean '${meant}'?`);
  }
}
