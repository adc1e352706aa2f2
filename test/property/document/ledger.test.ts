import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideAppend } from '../../../src/domain/document/append.ts';
import { balancesOf } from '../../../src/domain/document/balances.ts';
import { decideDelete, decideWrite, type WriteBody } from '../../../src/domain/document/decide.ts';
import { evolveDocument, evolvePosted, isDocumentEvent } from '../../../src/domain/document/evolve.ts';
import { withPosting } from '../../../src/domain/document/posting.ts';
import { fillDefaults } from '../../../src/domain/document/schema.ts';
import type { DomainEvent, Fork, LedgerEntry, Space } from '../../../src/domain/events.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { decodeEvent, encodeEvent, isNumber, isObject, type Json, type JsonObject, toDouble } from '../../../src/kernel/json.ts';
import { getPath } from '../../../src/kernel/path.ts';
import { collection, folded, NOW } from '../../domain/document/fixtures.ts';

/** A naive model of the ledger: the sum of all deltas is the value that a reader sees. */

/** A definition as it may be published: which defaults it has, and what it follows. */
interface Published {
  readonly gold: number | null;
  readonly hp: number | null;
  readonly heroHp: number | null;
  readonly followsGold: boolean;
  readonly followsHp: boolean;
  readonly followsHeroes: boolean;
  readonly followsWallet: boolean;
}

const defaults = fc.constantFrom(null, 0, 7, 100, 200);
const published: fc.Arbitrary<Published> = fc.record({
  gold: defaults,
  hp: defaults,
  heroHp: defaults,
  followsGold: fc.boolean(),
  followsHp: fc.boolean(),
  followsHeroes: fc.boolean(),
  followsWallet: fc.boolean(),
});

function schemaOf(definition: Published): JsonObject {
  const field = (value: number | null, ledger: boolean) => ({
    type: 'any',
    _ledger: ledger,
    ...(value === null ? {} : { default: value }),
  });
  return {
    gold: field(definition.gold, definition.followsGold),
    stats: { type: 'object', properties: { hp: field(definition.hp, definition.followsHp) } },
    heroes: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { hp: field(definition.heroHp, definition.followsHeroes) } },
    },
    wallet: { type: 'object', additionalProperties: field(null, definition.followsWallet) },
  };
}

const PATHS = ['gold', 'stats.hp', 'heroes.bob.hp', 'heroes.eve.hp', 'wallet.iron', 'wallet.wood'];

function follows(definition: Published, path: string): boolean {
  if (path === 'gold') return definition.followsGold;
  if (path === 'stats.hp') return definition.followsHp;
  return path.startsWith('heroes') ? definition.followsHeroes : definition.followsWallet;
}

const number = fc.oneof(fc.integer({ min: -20, max: 200 }), fc.constantFrom<Json>(null, 'text', 0));
const hero = fc.oneof(fc.record({ hp: number }, { requiredKeys: [] }), fc.constant<Json>(null), fc.constant<Json>(5));
const documents = fc.record(
  {
    gold: number,
    stats: hero,
    heroes: fc.record({ bob: hero, eve: hero }, { requiredKeys: [] }),
    wallet: fc.record({ iron: number, wood: number }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const operations = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant('inc'), path: fc.constantFrom(...PATHS), value: fc.integer({ min: -20, max: 20 }) }),
    fc.record({ op: fc.constantFrom('set', 'set_if_null'), path: fc.constantFrom(...PATHS), value: number }),
    fc.record({ op: fc.constant('merge'), path: fc.constantFrom('stats', 'heroes.bob'), value: fc.record({ hp: number }) }),
    fc.record({ op: fc.constant('set'), path: fc.constantFrom('heroes.bob', 'stats', 'wallet'), value: fc.constant({}) }),
  ),
  { minLength: 1, maxLength: 3 },
);

type Step =
  | { readonly kind: 'replace'; readonly document: JsonObject; readonly space: Space }
  | { readonly kind: 'operate'; readonly ops: readonly { op: string; path: string; value: Json }[]; readonly space: Space }
  | { readonly kind: 'delete'; readonly space: Space }
  | { readonly kind: 'publish'; readonly definition: Published }
  | { readonly kind: 'fill'; readonly fills: boolean };

const spaces = fc.constantFrom<Space>('live', 'live', 'next1');
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('replace' as const), document: documents, space: spaces }),
    fc.record({ kind: fc.constant('operate' as const), ops: operations, space: spaces }),
    fc.record({ kind: fc.constant('delete' as const), space: spaces }),
    fc.record({ kind: fc.constant('publish' as const), definition: published }),
    fc.record({ kind: fc.constant('fill' as const), fills: fc.boolean() }),
  ),
  { maxLength: 25 },
);

type Sums = Map<string, number>;

/** One document over time, in `live` and in a `next` space that copies it when it is first written there. */
class History {
  definition: Published;
  fills = true;
  readonly states = new Map<Space, DocumentState | null>();
  readonly sums = new Map<Space, Sums>();
  readonly entries: LedgerEntry[] = [];

  constructor(definition: Published) {
    this.definition = definition;
  }

  get collection() {
    return collection(schemaOf(this.definition));
  }

  current(space: Space): { state: DocumentState | null; fork: Fork | undefined } {
    const own = this.states.get(space);
    if (own !== undefined || space === 'live') return { state: own ?? null, fork: undefined };
    const live = this.states.get('live') ?? null;
    return { state: live, fork: { document: live?.document ?? null, version: live?.version ?? 0, balances: balancesOf(live) } };
  }

  write(space: Space, body: WriteBody): boolean {
    const { state: current, fork } = this.current(space);
    const decision = decideWrite({
      collection: this.collection,
      space,
      key: 'p1',
      current,
      fork,
      now: NOW,
      source: 'writer',
      body,
      player: 'p1',
      saveVersion: null,
      strictSaveVersion: false,
      fillDefaults: this.fills,
      rules: [],
      isCorrection: false,
      windowOf: () => null,
      maxBytes: 65_536,
      checkSchema: false,
      sortedFields: [],
    });
    if (decision instanceof Refusal) return false;
    this.take(space, decision.events, decision.state);
    return true;
  }

  remove(space: Space): boolean {
    const { state: current, fork } = this.current(space);
    const about = { collection: this.collection, space, key: 'p1', current, now: NOW, source: 'writer', fillDefaults: this.fills };
    const decision = decideDelete({ ...about, fork });
    if (decision instanceof Refusal) return false;
    this.take(space, decision.events, decision.state);
    return true;
  }

  take(space: Space, events: readonly DomainEvent[], decided: DocumentState | null): void {
    const entries: LedgerEntry[] = [];
    for (const event of withPosting(events)) {
      const before = this.states.get(space) ?? null;
      if ('fork' in event.data && event.data.fork !== undefined) this.sums.set(space, new Map(this.sums.get('live')));
      if (isDocumentEvent(event)) this.states.set(space, evolveDocument(before, decoded(event), NOW));
      if (event.type !== 'ledger.posted' || before === null) continue;
      for (const posting of decoded(event).data.postings) {
        const posted = evolvePosted(before, posting);
        expect([posted.balances]).toEqual(event.balances);
        this.states.set(space, posted);
        entries.push(...posting.entries);
      }
    }
    expect(this.states.get(space)?.balances).toEqual(decided?.balances);
    this.entries.push(...entries);
    const sums = this.sums.get(space) ?? new Map<string, number>();
    this.sums.set(space, sums);
    for (const { field, before, after, delta } of entries) {
      // Every entry goes on where the one before it ended.
      expect([field, numberOf(before)]).toEqual([field, sums.get(field) ?? 0]);
      expect(numberOf(delta)).toBe(numberOf(after) - numberOf(before));
      sums.set(field, numberOf(after));
    }
  }

  read(space: Space): JsonObject {
    const stored = this.current(space).state?.document ?? null;
    if (stored === null) return {};
    return this.fills ? fillDefaults(this.collection.schema, stored) : stored;
  }

  check(space: Space): void {
    const read = this.read(space);
    const isDeleted = this.current(space).state?.document == null;
    for (const path of PATHS) {
      if (!isDeleted && !follows(this.definition, path)) continue;
      expect([path, this.sums.get(space)?.get(path) ?? 0]).toEqual([path, numberOf(getPath(read, path))]);
    }
  }
}

function numberOf(value: Json | undefined): number {
  return isNumber(value) ? toDouble(value) : 0;
}

/** As another process has it from the log. */
function decoded<E extends DomainEvent>(event: E): E {
  const data = decodeEvent(encodeEvent(event.data));
  if (!isObject(data)) throw new Error('no object');
  return { type: event.type, data } as unknown as E;
}

/** Whether it was not refused. */
function done(history: History, step: Exclude<Step, { kind: 'publish' | 'fill' }>): boolean {
  if (step.kind === 'delete') return history.remove(step.space);
  if (step.kind === 'replace') return history.write(step.space, { kind: 'replace', document: step.document });
  return history.write(step.space, { kind: 'operations', ops: step.ops });
}

function play(history: History, step: Step): void {
  if (step.kind === 'publish') history.definition = step.definition;
  else if (step.kind === 'fill') history.fills = step.fills;
  else {
    const isWritten = done(history, step);
    // A space without a document of its own reads the live one, which a later definition may have changed.
    if (isWritten && history.states.has(step.space)) history.check(step.space);
  }
}

test('whatever happens to a document, the deltas of a followed field come to what a reader sees, and to 0 after a delete', () => {
  fc.assert(
    fc.property(published, steps, (first, all) => {
      const history = new History(first);
      for (const step of all) play(history, step);
    }),
    { numRuns: 600 },
  );
});

test('an appended record begins with its defaults', () => {
  fc.assert(
    fc.property(published, documents, fc.boolean(), (definition, body, fills) => {
      const history = new History(definition);
      history.fills = fills;
      const runs = { ...history.collection, type: 'global' as const };
      const about = { space: 'live' as const, recordId: 'r', writerId: 'p1', now: NOW, maxBytes: 65_536, checkSchema: false };
      const key = { idempotencyKey: null, idempotency: null, windowOf: () => null };
      const decision = decideAppend({ collection: runs, body: { mark: 1, ...body }, fillDefaults: fills, ...about, ...key });
      if (decision instanceof Refusal) throw decision;
      const [event] = decision.events.filter(isDocumentEvent);
      if (event === undefined) throw new Error('nothing was appended');
      history.take('live', [event], folded(null, [event], NOW));
      history.check('live');
    }),
  );
});

test('operations of one request make the entries that each makes in a request of its own, in their order', () => {
  const followed = { gold: null, hp: null, heroHp: null, followsGold: true, followsHp: true, followsHeroes: true, followsWallet: true };
  fc.assert(
    fc.property(documents, operations, (document, ops) => {
      const entriesOf = (requests: readonly Step[]) => {
        const history = new History(followed);
        history.write('live', { kind: 'replace', document });
        const before = history.entries.length;
        const areDone = requests.every((step) => step.kind === 'operate' && done(history, step));
        return areDone ? history.entries.slice(before) : null;
      };
      const one = entriesOf([{ kind: 'operate', ops, space: 'live' }]);
      const apart = entriesOf(ops.map((op): Step => ({ kind: 'operate', ops: [op], space: 'live' })));
      expect(one).toEqual(apart);
    }),
  );
});
