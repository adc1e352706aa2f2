import { PLAYER_TEMPLATE_NAMES } from '../../domain/wire-names.ts';
import { refusal } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { type EndpointCall, WORK_PER_CHECK } from './call.ts';
import { LanguageError } from './errors.ts';
import { type Path, walk } from './path.ts';
import { MAX_DEPTH, MAX_TEXT, toText, type Value } from './value.ts';

/** Evaluates a compiled text. Throws a {@link LanguageError}, or a `Refusal` if a budget is used up. */
export type Eval = (scope: Scope) => Value;
/** Evaluates a compiled condition. */
export type Check = (scope: Scope) => boolean;

const MAX_ALIASES = 10;
/** Most steps of one call, including those of loops and workflows. */
const MAX_STEPS = 10_000;
/**
 * Most units of work of one call: names looked up, texts and checks evaluated, rows visited, values copied, characters written. Everything
 * that a definition, a document or an input can make large is charged for, so this bounds a call's time without a clock.
 */
const MAX_WORK = 2_000_000;
/** What a step costs besides its own work, in units. */
const STEP_COST = 8;
/**
 * Cost of copying a member of an object, in units: an object of many names is a hash table, which grows name by name. Of putting a row or
 * a key into a map half as much.
 */
export const MEMBER_COST = 8;
export const ENTRY_COST = 4;
/** Characters that are compared for one unit of work, as a power of two. */
const COMPARED_SHIFT = 8;
/** Most sleep of a call, in sum. */
const MAX_SLEEP_MS = 1000;
const MAX_WEBHOOKS = 5;

/** What the whole call shares: clock, input, budgets. */
export class CallContext {
  readonly call: EndpointCall;
  readonly values: JsonObject;
  private steps = 0;
  private work = 0;
  private nextCheck = WORK_PER_CHECK;
  private slept = 0;
  private webhooks = 0;
  private awaited = 0;
  private clock: ClockNames | null = null;

  constructor(call: EndpointCall, values: JsonObject) {
    this.call = call;
    this.values = values;
  }

  /** The rows of a table of the game values. */
  table(name: string): readonly Json[] {
    const rows = member(this.values, name);
    if (!isArray(rows)) throw new LanguageError(`could not resolve scan source: the game values have no table "${name}".`);
    return rows;
  }

  countStep(): void {
    this.steps += 1;
    if (this.steps > MAX_STEPS) throw refusal('LIMIT_EXCEEDED', `A call may execute at most ${MAX_STEPS} steps`);
    this.spend(STEP_COST);
  }

  sleep(ms: number): void {
    this.slept += ms;
    if (this.slept > MAX_SLEEP_MS) throw refusal('LIMIT_EXCEEDED', `A call may sleep at most ${MAX_SLEEP_MS} ms`);
    this.call.effects.sleep(ms);
  }

  /** `awaited`: the call reads the result, so the webhook is sent now. Else it is sent once the call is stored. */
  webhook(url: string, payload: JsonObject, awaited: boolean): JsonObject | null {
    if (this.webhooks >= MAX_WEBHOOKS) throw refusal('LIMIT_EXCEEDED', `A call may send at most ${MAX_WEBHOOKS} webhooks`);
    this.webhooks += 1;
    if (!awaited) return this.call.effects.notify(url, payload);
    this.awaited += 1;
    return this.call.effects.webhook(this.awaited - 1, url, payload);
  }

  spend(units: number): void {
    this.work += units;
    if (this.work >= this.nextCheck) this.checkWork();
  }

  private checkWork(): void {
    if (this.work > MAX_WORK) throw refusal('LIMIT_EXCEEDED', 'A call may not process more data than this');
    this.nextCheck = Math.min(this.work + WORK_PER_CHECK, MAX_WORK + 1);
    this.call.effects.checkTime();
  }

  /** Charges for comparing two values: long texts with the same beginning take time. */
  compared(left: Value, right: Value): void {
    if (typeof left !== 'string' || typeof right !== 'string') return;
    this.spend(Math.min(left.length, right.length) >> COMPARED_SHIFT);
  }

  /** A value as comparisons, arithmetic and keys see it. A list becomes its text, which is charged for; others stay as they are. */
  plain(value: Value): Value {
    if (!isArray(value)) return value;
    // Charged before the work is done. A text that becomes too long costs as much, because a step may try it again and again.
    this.spend(value.length);
    try {
      const text = toText(value);
      this.spend(1 + (text.length >> 1));
      return text;
    } catch (error) {
      this.spend(MAX_TEXT >> 1);
      throw error;
    }
  }

  /**
   * Charges for a value that will be printed, and returns whether all its numbers are finite. Values share parts, so a value that doubles
   * in every turn of a loop is cheap to make and expensive to print. Therefore its printed size is measured.
   */
  measure(value: Json, depth = 0): boolean {
    this.spend(typeof value === 'string' ? 1 + (value.length >> 3) : 1);
    if (typeof value === 'number') return Number.isFinite(value);
    if (!isArray(value) && !isObject(value)) return true;
    if (depth >= MAX_DEPTH) throw new LanguageError('A value is nested too deeply.');
    return isArray(value) ? this.measureList(value, depth) : this.measureObject(value, depth);
  }

  private measureList(list: readonly Json[], depth: number): boolean {
    let finite = true;
    for (const item of list) finite = this.measure(item, depth + 1) && finite;
    return finite;
  }

  /** Names are charged for, because they are printed, too. */
  private measureObject(object: JsonObject, depth: number): boolean {
    let finite = true;
    for (const name of Object.keys(object)) {
      this.spend(name.length >> 3);
      finite = this.measure(object[name] ?? null, depth + 1) && finite;
    }
    return finite;
  }

  builtIn(name: string): Value {
    const { call } = this;
    switch (name) {
      case 'input':
        return call.input;
      case 'values':
        return this.values;
      case 'platformId':
        return call.platformId;
      case 'playerKey':
        return call.playerKey;
      case 'projectId':
        return call.projectId;
      case '_unixMs':
        return call.now;
      case '_unixS':
        return Math.floor(call.now / 1000);
      case '_hasSecretKey':
        return call.hasSecretKey;
      case '_isDedicatedServer':
        return call.isDedicatedServer;
    }
    const clock = this.clockNames().get(name);
    if (clock !== undefined) return clock;
    return PLAYER_TEMPLATE_NAMES.includes(name) ? call.platformId : undefined;
  }

  private clockNames(): ClockNames {
    this.clock ??= clockNames(this.call.now);
    return this.clock;
  }
}

type ClockNames = ReadonlyMap<string, string | number>;

function clockNames(now: number): ClockNames {
  const at = new Date(now);
  const iso = at.toISOString();
  return new Map<string, string | number>([
    ['now', iso],
    ['_dateUTC', iso.slice(0, 10)],
    ['_timeUTC', iso.slice(11, 19)],
    ['_datetimeUTC', `${iso.slice(0, 19)}Z`],
    ['_year', at.getUTCFullYear()],
    ['_month', at.getUTCMonth() + 1],
    ['_day', at.getUTCDate()],
    ['_hour', at.getUTCHours()],
    ['_minute', at.getUTCMinutes()],
    ['_dayOfWeek', at.getUTCDay()],
  ]);
}

/** Names as one list of steps sees them: of an endpoint, a workflow or a called block. */
export class Scope {
  readonly context: CallContext;
  readonly names: Map<string, Value>;
  aliases: ReadonlyMap<string, Path> | null;

  constructor(context: CallContext, names: Map<string, Value> = new Map(), aliases: ReadonlyMap<string, Path> | null = null) {
    this.context = context;
    this.names = names;
    this.aliases = aliases;
  }

  /** The value of a name: what steps bound, then the built-ins. */
  name(name: string): Value {
    this.context.spend(1);
    const bound = this.names.get(name);
    if (bound !== undefined || this.names.has(name)) return bound;
    return this.context.builtIn(name);
  }

  path(path: Path): Value {
    return walk(this.name(path.root), path.rest);
  }

  /** The value of a path whose first name may be an alias of `let`. Aliases chain. */
  aliased(path: Path): Value {
    return this.path(this.unaliased(path));
  }

  /** The path that an alias stands for. */
  unaliased(path: Path): Path {
    if (this.aliases === null) return path;
    let current = path;
    for (let turn = 0; turn <= MAX_ALIASES; turn += 1) {
      const target = this.aliases.get(current.root);
      if (target === undefined) return current;
      current = { root: target.root, rest: [...target.rest, ...current.rest] };
    }
    throw new LanguageError(`Alias "${path.root}" refers to itself.`);
  }

  addAliases(aliases: ReadonlyMap<string, Path>): void {
    this.context.spend(aliases.size + (this.aliases?.size ?? 0));
    this.aliases = new Map([...(this.aliases ?? []), ...aliases]);
  }

  /** A separate scope that starts with these names and more. */
  copy(more: ReadonlyMap<string, Value>): Scope {
    this.context.spend(this.names.size + more.size);
    return new Scope(this.context, new Map([...this.names, ...more]), this.aliases);
  }

  /** Runs `body` with `name` bound only during it: the row of a lambda, the item of a loop. */
  with<T>(name: string, value: Value, body: () => T): T {
    const had = this.names.has(name);
    const before = this.names.get(name);
    this.names.set(name, value);
    try {
      return body();
    } finally {
      if (had) this.names.set(name, before);
      else this.names.delete(name);
    }
  }
}
