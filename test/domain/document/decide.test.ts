import { describe, expect, test } from 'vitest';
import { readCorrection } from '../../../src/domain/document/correction.ts';
import {
  type Decided,
  type Deleted,
  type DocumentCommand,
  decideWrite,
  decideDelete as deleteDecision,
  readWriteBody,
  type WriteCommand,
} from '../../../src/domain/document/decide.ts';
import type { DocumentWritten, LedgerChange, Operation } from '../../../src/domain/events.ts';
import { normaliseRules } from '../../../src/domain/limit/rules.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { ExactNumber, stringifyJson } from '../../../src/kernel/json.ts';
import { collection, folded, NOW, stored, windows, write } from './fixtures.ts';

/** Longer than the changes of these tests, so their events carry no whole document. */
const LONG = 'x'.repeat(200);

function accepted(command: WriteCommand): Decided & { readonly data: DocumentWritten; readonly ledger: LedgerChange } {
  const result = decideWrite(command);
  if (result instanceof Refusal) throw result;
  const [event] = result.events;
  if (event?.type !== 'document.written') throw new Error('no document.written');
  const { text, ...state } = result.state;
  const { after: _, ...inLog } = event;
  expect(JSON.stringify(folded(command.current, [inLog], command.now))).toBe(JSON.stringify(state));
  expect(folded(command.current, result.events, command.now)).toEqual(result.state);
  expect(text).toBe(stringifyJson(state.document));
  if (event.ledger === undefined) throw new Error('no ledger');
  return { ...result, data: event.data, ledger: event.ledger };
}

function refused(command: WriteCommand): Refusal {
  const result = decideWrite(command);
  if (!(result instanceof Refusal)) throw new Error('was accepted');
  return result;
}

const ops = (...list: { op: string; path: string; value?: number | string; source?: string; reason?: string }[]) =>
  ({ kind: 'operations', ops: list }) as const;

describe('the key of a new document', () => {
  test('is none whose address another route takes; a document that is there is still written', () => {
    const feed = collection({}, { id: 'feed', type: 'global' });
    for (const command of [{ key: 'list' }, { key: 'APPEND' }, { collection: collection({}, { id: 'Analytics' }), key: 'events' }]) {
      expect(refused(write(command))).toMatchObject({ status: 400, code: 'ADDRESS_TAKEN' });
      expect(accepted(write({ ...command, current: stored({ a: 1 }) })).state.version).toBe(4);
      expect(refused(write({ ...command, current: stored(null) })).code).toBe('ADDRESS_TAKEN');
    }
    expect(refused(write({ collection: feed, key: 'ledger' })).message).toContain('GET /v3/storage/{project}/{collection}/{key}/ledger');
    for (const command of [{ key: 'ledger' }, { key: 'events' }, { key: 'heartbeat' }, { collection: feed, key: 'record' }]) {
      expect(accepted(write(command)).state.version).toBe(1);
    }
  });
});

describe('a correction', () => {
  const corrected = { op: 'inc', path: 'gold', value: 5, source: 'correction', reason: 'refund' };
  const read = (list: readonly Operation[], isSecret = true) => readCorrection({ kind: 'operations', ops: list }, isSecret);

  test('is a write of the secret key all of whose operations say so, each with a reason', () => {
    expect(read([corrected, { ...corrected, path: 'gems' }])).toBe(true);
    expect(read([{ op: 'inc', path: 'gold', value: 5, source: 'quest' }], false)).toBe(false);
    expect(readCorrection({ kind: 'replace', document: { source: 'correction' } }, true)).toBe(false);
    expect(read([corrected], false)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(read([corrected, { op: 'inc', path: 'gold', value: 5 }])).toMatchObject({
      code: 'INVALID_OPERATION',
      message: expect.stringContaining('ops[1]'),
    });
    for (const reason of ['', ' ']) {
      expect(read([{ ...corrected, reason }])).toMatchObject({ code: 'INVALID_OPERATION', message: expect.stringContaining('reason') });
    }
  });

  test.each(['default', 'definition'])('nobody writes with the source %s, which tells of what nobody wrote', (source) => {
    const write = { op: 'inc', path: 'gold', value: 5, source };
    for (const isSecret of [true, false]) {
      expect(read([{ op: 'inc', path: 'gold', value: 1 }, write], isSecret)).toMatchObject({
        code: 'INVALID_OPERATION',
        message: expect.stringContaining(`ops[1]: the source '${source}'`),
      });
    }
  });

  test('meets no rule and no daily limit, and counts in none', () => {
    const limited = collection({ gold: { type: 'number', _ledger: true } }, { dailyLimit: { per: 'player', count: 1 } });
    const rules = normaliseRules([{ collection: 'players', field: 'gold', window: 'perDay', limit: 1, action: 'clamp' }]);
    const used = { start: NOW, used: 1, flagged: false };
    const command = { collection: limited, current: stored({ gold: 1 }), rules, windowOf: () => used, body: ops(corrected) };
    expect(refused(write(command)).code).toBe('RATE_LIMIT_DAILY');
    const { data, ledger, state } = accepted(write({ ...command, isCorrection: true }));
    expect([data.windows, data.clamps, state.document]).toEqual([undefined, undefined, { gold: 6 }]);
    expect(ledger.entries.at(-1)).toEqual({ field: 'gold', before: 1, after: 6, delta: 5, source: 'correction', reason: 'refund' });
  });
});

describe('reading the body', () => {
  test('a list called ops makes operations, anything else a plain document', () => {
    expect(readWriteBody({ ops: [{ op: 'inc', path: 'a', value: 1 }], other: 1 })).toEqual({
      body: { kind: 'operations', ops: [{ op: 'inc', path: 'a', value: 1 }] },
      saveVersion: null,
    });
    expect(readWriteBody({ ops: 'x' })).toEqual({ body: { kind: 'replace', document: { ops: 'x' } }, saveVersion: null });
  });

  test('the save version is taken out of it', () => {
    expect(readWriteBody({ a: 1, _saveVersion: 3 })).toEqual({ body: { kind: 'replace', document: { a: 1 } }, saveVersion: 3 });
    expect(readWriteBody({ ops: [{ op: 'inc', path: 'a', value: 1 }], _saveVersion: '3' })).toMatchObject({ saveVersion: 3 });
    expect(readWriteBody({ _saveVersion: null })).toEqual({ body: { kind: 'replace', document: {} }, saveVersion: null });
    expect(readWriteBody({ _saveVersion: -1 })).toMatchObject({ code: 'INVALID_BODY' });
  });

  test.each([[null], [[]], ['text'], [5], [new ExactNumber('1e400')]])('%o is not a valid body', (body) => {
    expect(readWriteBody(body)).toMatchObject({ code: 'INVALID_BODY', status: 400 });
  });

  test('invalid operations are refused with their position', () => {
    expect(readWriteBody({ ops: [{ op: 'set' }] })).toMatchObject({
      code: 'INVALID_OPERATION',
      message: 'ops[0]: needs the texts op and path',
    });
    expect(readWriteBody({ ops: [] })).toMatchObject({ code: 'INVALID_OPERATION', message: 'ops is empty' });
  });
});

describe('without a document', () => {
  test('a plain document is stored whole, as version 1', () => {
    const { data, state, text } = accepted(
      write({ body: { kind: 'replace', document: { b: 1, a: new ExactNumber('1e400'), _saveVersion: 0 } } }),
    );
    expect(data).toEqual({
      space: 'live',
      collection: 'players',
      key: 'p1',
      version: 1,
      document: { b: 1, a: new ExactNumber('1e400') },
      definition: 'definition-hash',
    });
    expect(state).toMatchObject({ version: 1, createdAt: NOW, updatedAt: NOW });
    expect(text).toBe('{"b":1,"a":1e400}');
  });

  test('operations start from nothing and store the document whole', () => {
    const { data } = accepted(write({ body: ops({ op: 'inc', path: 'gold', value: 5 }) }));
    expect(data.document).toEqual({ gold: 5 });
    expect(data.changes).toBe(undefined);
    expect(data.ops).toEqual([{ op: 'inc', path: 'gold', value: 5 }]);
  });
});

describe('given a document', () => {
  test('operations store what they touched', () => {
    const { data, state } = accepted(write({ current: stored({ gold: 1, name: 'x' }), body: ops({ op: 'inc', path: 'gold', value: 5 }) }));
    expect(data).toMatchObject({ version: 4, changes: [['gold', 6]] });
    expect(data.document).toBe(undefined);
    expect(state).toMatchObject({ document: { gold: 6, name: 'x' }, version: 4, createdAt: NOW - 5000, updatedAt: NOW });
  });

  test('a deleted one continues its versions, and starts empty', () => {
    const { data, state } = accepted(write({ current: stored(null, 7) }));
    expect(data).toMatchObject({ version: 8, document: {} });
    expect(state.createdAt).toBe(NOW);
  });

  test('the first write in a staged space carries a fork', () => {
    const fork = { document: { gold: 1, about: LONG }, version: 3 };
    const { data, state } = accepted(
      write({ space: 'next1', current: stored(fork.document), fork, body: ops({ op: 'inc', path: 'gold', value: 1 }) }),
    );
    expect(data).toMatchObject({ space: 'next1', fork, version: 4, changes: [['gold', 2]] });
    const event = { type: 'document.written', data } as const;
    expect(folded(null, [event], NOW)).toEqual({ ...state, text: undefined });
  });
});

describe('of a document that the schema would refuse, because it was stored under another one', () => {
  const schema = {
    title: { type: 'string', required: true },
    gold: { type: 'number', min: 0 },
    bag: { type: 'array', maxItems: 2, items: { type: 'object', properties: { n: { type: 'number', required: true } } } },
  };
  const document = { gold: 1, bag: [{ old: true }, { n: 1 }, { n: 2 }], rank: { level: 'x' } };
  const command = (...operations: readonly Operation[]) =>
    write({ collection: collection(schema), current: stored(document), body: { kind: 'operations', ops: operations } });

  test.each<[string, Operation]>([
    ['another field', { op: 'inc', path: 'gold', value: 5 }],
    ['a list that becomes shorter', { op: 'pull', path: 'bag', match: { n: 2 } }],
    ['the field that was missing', { op: 'set', path: 'title', value: 'Sir' }],
  ])('operations may change %s', (_, operation) => {
    expect(decideWrite(command(operation))).not.toBeInstanceOf(Refusal);
  });

  test.each<[string, Operation]>([
    ['gold: less than 0', { op: 'inc', path: 'gold', value: -5 }],
    ['gold: expected number', { op: 'set', path: 'gold', value: 'much' }],
    ['bag: more than 2 items', { op: 'push', path: 'bag', value: { n: 3 } }],
    ['title: expected string', { op: 'set', path: 'title', value: 5 }],
  ])('what they bring in themselves is refused: %s', (fault, operation) => {
    expect(decideWrite(command(operation))).toMatchObject({ code: 'SCHEMA_VALIDATION_FAILED', message: fault });
  });

  test('a whole document, and a new one, are judged whole', () => {
    const whole = { ...command(), body: { kind: 'replace', document } } as const;
    expect(decideWrite(whole)).toMatchObject({ message: 'title: required' });
    expect(decideWrite({ ...command({ op: 'inc', path: 'gold', value: 5 }), current: null })).toMatchObject({ message: 'title: required' });
  });
});

describe('defaults under operations', () => {
  const schema = {
    gold: { type: 'number', default: 100 },
    luck: { type: 'number', default: 7 },
    stats: { type: 'object', default: { hp: 1, mp: 2 } },
    gear: { type: 'object', properties: { a: { type: 'number', default: 1 }, b: { type: 'number', default: 2 } } },
  };

  test('an operation starts from the default and stores only what it touched', () => {
    const command = write({ collection: collection(schema), current: stored({ x: 1 }), body: ops({ op: 'inc', path: 'gold', value: 5 }) });
    expect(accepted(command).state.document).toEqual({ x: 1, gold: 105 });
    expect(accepted({ ...command, current: null }).data.document).toEqual({ gold: 105 });
  });

  test('if readers see no defaults, it starts from what is stored', () => {
    const current = stored({ x: 1 });
    const command = write({
      collection: collection(schema),
      current,
      fillDefaults: false,
      body: ops({ op: 'inc', path: 'gold', value: 5 }),
    });
    expect(accepted(command).state.document).toEqual({ x: 1, gold: 5 });
  });

  test('a default object that is written into is stored whole, so that no reader loses the rest', () => {
    const command = write({
      collection: collection(schema),
      current: stored({ x: LONG }),
      body: ops({ op: 'inc', path: 'stats.hp', value: 5 }),
    });
    expect(accepted(command).data.changes).toEqual([['stats', { hp: 6, mp: 2 }]]);
  });

  test('a value that lacks defaults below it has none stored with it', () => {
    const bag = { type: 'object', additionalProperties: { type: 'object', properties: { n: { type: 'number', default: 1 } } } };
    const body = { kind: 'operations', ops: [{ op: 'set', path: 'stats.bag.x', value: {} }] } as const;
    const stats = { type: 'object', properties: { hp: { type: 'number', default: 10 }, bag } };
    const command = write({ collection: collection({ stats }), current: stored({ y: 1 }), body });
    expect(accepted(command).state.document).toEqual({ y: 1, stats: { bag: { x: {} } } });
  });

  test('children with defaults of their own stay defaults', () => {
    const command = write({
      collection: collection(schema),
      current: stored({ x: 1 }),
      body: ops({ op: 'inc', path: 'gear.a', value: 5 }),
    });
    expect(accepted(command).state.document).toEqual({ x: 1, gear: { a: 6 } });
  });
});

describe('refusals, in their order', () => {
  const strict = collection({ gold: 'number' }, { requireSaveVersion: true, dailyLimit: { per: 'player', count: 1 } });
  const full = windows({ '@daily/players/*/perDay/p1': { start: Date.UTC(2024, 4, 15), used: 1, flagged: false } });
  const everything = { collection: strict, windowOf: full, saveVersion: 9, maxBytes: 5 };
  const document = { gold: 'x'.repeat(10) };

  test('operations first', () => {
    const refusal = refused(write({ ...everything, body: ops({ op: 'set', path: 'gold', value: 1 }, { op: 'inc', path: 'gold' }) }));
    expect(refusal).toMatchObject({ code: 'INVALID_OPERATION', message: 'ops[1]: inc needs a number' });
  });

  test('then the schema', () => {
    expect(refused(write({ ...everything, body: ops({ op: 'set', path: 'gold', value: 'x'.repeat(10) }) }))).toMatchObject({
      code: 'SCHEMA_VALIDATION_FAILED',
      message: 'gold: expected number',
    });
  });

  test('the size of a whole document is checked before its form', () => {
    expect(refused(write({ ...everything, body: { kind: 'replace', document } }))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(refused(write({ ...everything, maxBytes: 1000, body: { kind: 'replace', document } }))).toMatchObject({
      code: 'SCHEMA_VALIDATION_FAILED',
    });
  });

  test('then the size in UTF-8 bytes; exactly the limit passes', () => {
    expect(refused(write({ ...everything, checkSchema: false, body: { kind: 'replace', document } }))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    const body = { kind: 'replace', document: { a: 'é' } } as const;
    expect(accepted(write({ body, maxBytes: 10 })).text).toBe('{"a":"é"}');
    expect(refused(write({ body, maxBytes: 9 }))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 413 });
  });

  test('then the save version', () => {
    expect(refused(write({ ...everything, maxBytes: 1000 }))).toMatchObject({
      code: 'STALE_SAVE',
      status: 409,
      extra: { error: { expected: 9, actual: 0 } },
    });
    const unnamed = { ...everything, maxBytes: 1000, saveVersion: null };
    expect(refused(write({ ...unnamed, strictSaveVersion: true }))).toMatchObject({ code: 'SAVE_VERSION_REQUIRED' });
  });

  test('then the limits', () => {
    expect(refused(write({ ...everything, maxBytes: 1000, saveVersion: 0 }))).toMatchObject({ code: 'RATE_LIMIT_DAILY', status: 429 });
  });
});

test.each([
  [null, 0, true],
  [null, 1, false],
  [stored({}, 3), 3, true],
  [stored({}, 3), 0, false],
  [stored(null, 3), 0, true],
  [stored(null, 3), 3, false],
])('given %o, a writer that has seen version %d is accepted: %s', (current, saveVersion, passes) => {
  expect(decideWrite(write({ current, saveVersion })) instanceof Refusal).toBe(!passes);
});

describe('ledger', () => {
  const tracked = collection({ gold: { type: 'number', _ledger: true } });

  test('the entry is part of the write, with the source of its operation', () => {
    const body = ops({ op: 'inc', path: 'gold', value: 5, source: 'quest' });
    expect(accepted(write({ collection: tracked, current: stored({ gold: 1 }, 3, { gold: 1 }), body })).ledger.entries).toEqual([
      { field: 'gold', before: 1, after: 6, delta: 5, source: 'quest' },
    ]);
  });

  test('a write may change a thousand numbers; a delete is possible whatever it has to reverse', () => {
    const open = collection({ type: 'object', properties: {}, additionalProperties: { type: 'number', _ledger: true } });
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`n${index}`, 1]));
    const refusal = refused(write({ collection: open, body: { kind: 'replace', document: many } }));
    expect(refusal).toMatchObject({ status: 413, code: 'APPEND_TOO_LARGE', message: expect.stringContaining('1001 entries') });
    const less = Object.fromEntries(Object.entries(many).slice(1));
    expect(accepted(write({ collection: open, body: { kind: 'replace', document: less } })).ledger.entries).toHaveLength(1000);
    const gone = deleteDecision(write({ collection: open, current: stored(many) }));
    expect(gone).toMatchObject({ events: [{ ledger: { entries: { length: 1000 } } }] });
  });

  test('more numbers than a write may change, with a ledger only since a publish, block no write: each write records as many as fit', () => {
    const open = collection({ type: 'object', properties: {}, additionalProperties: { type: 'number', _ledger: true } });
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`n${index}`, 1]));
    const body = ops({ op: 'inc', path: 'n1499', value: 1 });
    const first = accepted(write({ collection: open, current: stored(many), body }));
    expect(first.ledger.entries).toHaveLength(1000);
    expect(first.ledger.entries.slice(-2)).toEqual([
      { field: 'n1499', before: 0, after: 1, delta: 1, source: 'definition' },
      { field: 'n1499', before: 1, after: 2, delta: 1, source: 'direct' },
    ]);
    const second = accepted(write({ collection: open, current: first.state, body }));
    expect(second.ledger.entries).toHaveLength(502);
    expect(Object.keys(JSON.parse(second.state.balances ?? ''))).toHaveLength(1500);
  });

  test('deleting and creating a document refills no default past a limit, by operations or whole', () => {
    const purse = collection({ gold: { type: 'number', default: 100 } });
    const rules = normaliseRules([{ collection: 'players', field: 'gold', window: 'perDay', limit: 10 }]);
    const again = { collection: purse, rules, current: stored(null) };
    expect(refused(write(again))).toMatchObject({ code: 'RATE_LIMIT' });
    expect(refused(write({ ...again, body: ops({ op: 'inc', path: 'gold', value: -1 }) }))).toMatchObject({ code: 'RATE_LIMIT' });
    expect(accepted(write({ ...again, body: ops({ op: 'set', path: 'gold', value: 10 }) })).data.windows).toMatchObject([{ after: 10 }]);
    expect(accepted(write({ ...again, current: null })).data.windows).toBeUndefined();
  });

  test('the ledger records the clamped value', () => {
    const rules = normaliseRules([{ collection: 'players', field: 'gold', window: 'perDay', limit: 3, action: 'clamp' }]);
    const { data, ledger, state } = accepted(
      write({
        collection: tracked,
        rules,
        current: stored({ gold: 1, about: LONG }, 3, { gold: 1 }),
        body: ops({ op: 'inc', path: 'gold', value: 5 }),
      }),
    );
    expect(ledger.entries).toMatchObject([{ before: 1, after: 4, delta: 3 }]);
    expect(data.changes).toEqual([['gold', 4]]);
    expect(data.clamps).toEqual([{ rule: 'rl_players_gold', field: 'gold', asked: 5, granted: 3 }]);
    expect(state.document).toEqual({ gold: 4, about: LONG });
  });
});

describe('an event of changes carries the whole document', () => {
  const played = (current: DocumentState, times: number) => {
    const events: DocumentWritten[] = [];
    let state = current;
    for (let n = 0; n < times; n++) {
      const { data, state: next } = accepted(write({ current: state, body: ops({ op: 'set', path: 'n', value: n }) }));
      events.push(data);
      state = next;
    }
    return events.map(({ document }) => document !== undefined);
  };

  test('after 128 events without it', () => {
    const isWhole = played(stored({ about: 'x'.repeat(10_000) }), 300);
    expect(isWhole.flatMap((whole, index) => (whole ? [index] : []))).toEqual([128, 257]);
  });

  test('once the changes since the last whole are longer than the document', () => {
    const isWhole = played(stored({ about: 'x'.repeat(100) }), 60);
    const wholes = isWhole.filter(Boolean).length;
    expect(wholes).toBeGreaterThan(3);
    expect(wholes).toBeLessThan(10);
    expect(played(stored({}), 3)).toEqual([true, true, true]);
  });
});

test('a clamped field inside a stored object is lowered there', () => {
  const rules = normaliseRules([{ collection: 'players', field: 'stats.xp', window: 'perDay', limit: 3, action: 'clamp' }]);
  const body = { kind: 'operations', ops: [{ op: 'set', path: 'stats', value: { xp: 50, hp: 1 } }] } as const;
  const { data, state } = accepted(write({ rules, current: stored({ stats: { xp: 10 }, about: LONG }), body }));
  expect(data.changes).toEqual([['stats', { xp: 13, hp: 1 }]]);
  expect(state.document).toEqual({ stats: { xp: 13, hp: 1 }, about: LONG });
});

test('a field that a write leaves out reads as its default again, and its rule counts that', () => {
  const rules = normaliseRules([{ collection: 'players', field: 'stats.xp', window: 'perDay', limit: 3 }]);
  const withDefault = collection({ stats: { type: 'object', properties: { xp: { type: 'number', default: 20 } } } });
  const spent = { rules, collection: withDefault, current: stored({ stats: { xp: 0 } }) };
  const leavingOut = { kind: 'replace', document: { mark: 1 } } as const;
  expect(refused(write({ ...spent, body: leavingOut }))).toMatchObject({ code: 'RATE_LIMIT' });
  const emptied = { kind: 'operations', ops: [{ op: 'set', path: 'stats', value: {} }] } as const;
  expect(refused(write({ ...spent, body: emptied }))).toMatchObject({ code: 'RATE_LIMIT' });
  expect(accepted(write({ ...spent, fillDefaults: false, body: leavingOut })).state.document).toEqual({ mark: 1 });
  expect(accepted(write({ ...spent, current: null, body: leavingOut })).state.document).toEqual({ mark: 1 });
});

test('a flagged write is stored, and says so once', () => {
  const rules = normaliseRules([{ name: 'Gold', collection: 'players', field: 'gold', window: 'perDay', limit: 3, action: 'flag' }]);
  const { events } = accepted(write({ rules, body: ops({ op: 'inc', path: 'gold', value: 5 }) }));
  expect(events[1]).toEqual({
    type: 'write.flagged',
    data: {
      space: 'live',
      collection: 'players',
      key: 'p1',
      rule: 'Gold',
      window: 'perDay',
      start: Date.UTC(2024, 4, 15),
      subject: 'p1',
      amount: 5,
      limit: 3,
    },
  });
});

describe('delete', () => {
  const tracked = collection({ gold: { type: 'number', _ledger: true } });
  const command = { collection: tracked, space: 'live', key: 'p1', now: NOW, source: 'direct', fillDefaults: true } as const;
  const decideDelete = (sent: DocumentCommand): Deleted => {
    const decision = deleteDecision(sent);
    if (decision instanceof Refusal) throw decision;
    return decision;
  };

  test('a caller that names another version than the present one is refused; 0 means that there is no document', () => {
    const current = stored({ gold: 5 });
    const stale = (state: typeof current | null, saveVersion: number) => {
      const decision = deleteDecision({ ...command, current: state }, saveVersion);
      return decision instanceof Refusal ? [decision.code, decision.extra.error] : null;
    };
    expect(stale(current, current.version)).toBeNull();
    expect(stale(current, 1)).toEqual(['STALE_SAVE', { expected: 1, actual: current.version }]);
    expect(stale(null, 0)).toBeNull();
    expect(stale(stored(null), 3)).toEqual(['STALE_SAVE', { expected: 3, actual: 0 }]);
  });

  test('deleting a missing document makes no event', () => {
    expect(decideDelete({ ...command, current: null })).toMatchObject({ events: [], state: null });
    expect(decideDelete({ ...command, current: stored(null) }).events).toEqual([]);
  });

  test('a document is deleted, its version stays, its balances are reversed', () => {
    const current = stored({ gold: 5 }, 3, { gold: 5 });
    const { events, state } = decideDelete({ ...command, current });
    const [event] = events;
    if (event?.type !== 'document.deleted') throw new Error('no document.deleted');
    expect(event).toMatchObject({
      data: { version: 3 },
      ledger: { entries: [{ field: 'gold', before: 5, after: 0, delta: -5, source: 'direct' }], balances: undefined },
    });
    expect(folded(current, [event], NOW)).toEqual(state);
    expect(state).toMatchObject({ document: null, version: 3 });
  });

  test('a live document that next reads is hidden by a tombstone', () => {
    const current = stored({ gold: 5 }, 3, { gold: 5 });
    const fork = { document: current.document, version: current.version };
    const { events, state } = decideDelete({ ...command, space: 'next1', current, fork });
    const [event] = events;
    if (event?.type !== 'document.deleted') throw new Error('no document.deleted');
    expect(event.data.fork).toEqual(fork);
    expect(folded(null, [event], NOW)).toEqual({ ...state, text: undefined });
  });
});
