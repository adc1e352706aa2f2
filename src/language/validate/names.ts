import type { input } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import type { StepType } from '../../contract/resources/step.ts';
import type { Findings } from '../../domain/finding.ts';
import { PLAYER_TEMPLATE_NAMES } from '../../domain/wire-names.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { isInternal } from '../exposure.ts';
import type { Logic, NormalStep } from '../normal/logic.ts';
import { kindOf } from '../steps/registry.ts';
import { Suggestions } from './meant.ts';
import { isSame, type Shape, type ShapedNames } from './shape.ts';
import { TokenWalk } from './token-walk.ts';

/** Findings for tokens that never have a value: names that nothing binds, and members that the bound value never has. */

export const BUILT_IN: readonly string[] = [
  ...['input', 'values', 'platformId', 'playerKey', 'projectId', 'now', 'params', 'item', 'index', 'row'],
  ...['_unixMs', '_unixS', '_hasSecretKey', '_isDedicatedServer', '_dateUTC', '_timeUTC', '_datetimeUTC'],
  ...['_year', '_month', '_day', '_hour', '_minute', '_dayOfWeek', ...PLAYER_TEMPLATE_NAMES],
];

/** What authors call the player elsewhere, in small letters. */
const PLAYER_WORDS = new Set(['player', 'playerid', 'user', 'userid', 'uid', 'caller', 'callerid', 'accountid']);

/** Any object in a definition: a definition, a step of any type, a route. */
type AnyObject = NormalStep<StepType> & Pick<Logic, 'params'>;

/** `parts`: members of the definition that hold tokens. `at`: position of the definition, for a block in its library. */
export function namesFindings(definition: Logic, parts: readonly (keyof Logic)[], findings: Findings, isCalled: boolean, at = ''): void {
  const suggestions = new Suggestions();
  const names = new Names(findings, suggestions, isCalled || isInternal(definition));
  names.gather(definition);
  const declared: Written<typeof input> = objectOf(definition.input);
  const inputs = Object.keys(objectOf(declared.properties));
  const walk = new TokenWalk(names, findings, suggestions, inputs);
  for (const part of parts) walk.look(definition[part], `${at}/${part}`);
}

/** Every name that a definition binds anywhere. The order of steps does not matter, because a loop may return to an earlier one. */
class Names implements ShapedNames {
  readonly #shapes = new Map<string, Shape>(BUILT_IN.map((name) => [name, 'open']));
  readonly #items = new Set<string>();
  /** Names that are always there, and that the definition binds to something else. */
  readonly #rebound = new Set<string>();
  readonly #findings: Findings;
  /**
   * Whether other definitions may call it, with params that it does not declare. Then an unknown name is a finding only if a known one is
   * similar.
   */
  readonly #isCalled: boolean;
  /** Suggestions by unknown name. */
  readonly #meant = new Map<string, string | undefined>();
  readonly #suggestions: Suggestions;

  constructor(findings: Findings, suggestions: Suggestions, isCalled: boolean) {
    this.#findings = findings;
    this.#suggestions = suggestions;
    this.#isCalled = isCalled;
  }

  shapeOf(name: string): Shape | undefined {
    return this.#shapes.get(name) ?? (this.#items.has(name) ? 'open' : undefined);
  }

  isRebound(name: string): boolean {
    return this.#rebound.has(name);
  }

  isBoundBesidesItems(name: string): boolean {
    return this.#shapes.has(name) && !BUILT_IN.includes(name);
  }

  unknown(root: string, pointer: string): void {
    const meant = this.#meantBy(root);
    if (this.#isCalled && meant === undefined) return;
    const fix = meant ?? (PLAYER_WORDS.has(root.toLowerCase()) ? `The player's id is 'platformId'.` : undefined);
    this.#findings.add('UNKNOWN_NAME', pointer, `Nothing here is called '${root}', so this token is always nothing.`, fix);
  }

  /** The suggestion for an unknown name. It is bounded: a definition may have thousands of tokens and thousands of names. */
  #meantBy(root: string): string | undefined {
    if (this.#meant.has(root)) return this.#meant.get(root);
    const meant = this.#suggestions.among(root, this.#all(), this.#shapes.size + this.#items.size);
    this.#meant.set(root, meant);
    return meant;
  }

  *#all(): Generator<string> {
    yield* this.#shapes.keys();
    yield* this.#items;
  }

  gather(json: Json | undefined): void {
    if (isArray(json)) for (const item of json) this.gather(item);
    else if (isObject(json)) {
      this.#ofObject(json);
      for (const value of Object.values(json)) this.gather(value);
    }
  }

  /** Adds the names that a step or a route binds. An object that only looks like one adds a name too many; at worst a finding is missed. */
  #ofObject(json: AnyObject): void {
    for (const part of ['let', 'params'] as const) for (const name of Object.keys(objectOf(json[part]))) this.#add(name, 'open');
    const kind = kindOf(json);
    const name = stringOf(json.as) ?? stringOf(json.id);
    for (const each of kind?.bindsAlso?.(json) ?? []) this.#add(each, 'open');
    if (kind?.items?.name !== undefined) this.#items.add(kind.items.name(json));
    if (name === undefined) return;
    this.#add(`${stringOf(json.id) ?? name}_run`, 'open');
    const shape = kind === undefined ? 'open' : kind.binds(json, this.#findings);
    if (shape !== null) this.#add(name, shape);
  }

  /** A name that is bound in two ways may have the members of both. */
  #add(name: string, shape: Shape): void {
    const before = this.#shapes.get(name);
    if (BUILT_IN.includes(name)) this.#rebound.add(name);
    this.#shapes.set(name, before === undefined || isSame(before, shape) ? shape : 'open');
  }
}
