import { describe, expect, test } from 'vitest';
import type { WindowName } from '../../../src/contract/resources/rate-limits.ts';
import { DocumentDraft } from '../../../src/domain/document/document-draft.ts';
import { ReadDocument } from '../../../src/domain/document/read-document.ts';
import { compileSchema, WITHOUT_DEFAULTS } from '../../../src/domain/document/schema.ts';
import { applyRules, type LimitedWrite } from '../../../src/domain/limit/apply.ts';
import { evolveWindow } from '../../../src/domain/limit/evolve.ts';
import { datedRules, identifiedRules, normaliseRules } from '../../../src/domain/limit/rules.ts';
import { windowEnd, windowStart } from '../../../src/domain/limit/windows.ts';
import type { SchemaModel } from '../../../src/domain/model.ts';
import type { WindowState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { ExactNumber, type Json, type JsonObject } from '../../../src/kernel/json.ts';
import { collection, NOW, windows } from '../document/fixtures.ts';

const DAY_START = Date.UTC(2024, 4, 15);
const COUNTER = 'rl_players_gold/players/gold/perDay/p1';

function rule(changes: Record<string, Json> = {}) {
  return {
    name: 'Gold',
    collection: 'players',
    field: 'gold',
    scope: 'per_player',
    window: 'perDay',
    limit: 10,
    action: 'reject',
    ...changes,
  };
}

interface Growth extends Partial<Omit<LimitedWrite, 'draft'>> {
  readonly schema?: SchemaModel;
  readonly before?: JsonObject | null;
  readonly after?: JsonObject;
  readonly increases?: ReadonlyMap<string, number>;
}

/** Gold goes from 1 to 1 + `amount` in the document of `p1`. */
function growth(amount: number, rules: Json, asked: Growth = {}): LimitedWrite {
  const {
    before = { gold: 1 },
    after = { gold: 1 + amount },
    schema = compileSchema(undefined),
    increases = new Map(),
    ...changes
  } = asked;
  const was = before === null ? null : new ReadDocument(WITHOUT_DEFAULTS, before);
  const written = { after: new ReadDocument(schema, after), changes: [], increases, moves: [] };
  return {
    rules: normaliseRules(rules),
    collection: collection(),
    key: 'p1_slot',
    player: 'caller',
    now: NOW,
    isRecreated: false,
    draft: new DocumentDraft(written, was === null, () => was),
    windowOf: () => null,
    ...changes,
  };
}

function used(amount: number, changes: Partial<WindowState> = {}) {
  return windows({ [COUNTER]: { start: DAY_START, used: amount, flagged: false, ...changes } });
}

function passed(write: LimitedWrite) {
  const result = applyRules(write);
  if (result instanceof Refusal) throw result;
  const { stored: document, changes: clamped } = result.draft;
  return { ...result, document, clamped };
}

describe('windows', () => {
  test.each<[WindowName, number, number]>([
    ['perMinute', Date.UTC(2024, 4, 15, 13, 45), Date.UTC(2024, 4, 15, 13, 46)],
    ['perHour', Date.UTC(2024, 4, 15, 13), Date.UTC(2024, 4, 15, 14)],
    ['perDay', Date.UTC(2024, 4, 15), Date.UTC(2024, 4, 16)],
    ['perWeek', Date.UTC(2024, 4, 13), Date.UTC(2024, 4, 20)],
    ['perMonth', Date.UTC(2024, 4, 1), Date.UTC(2024, 5, 1)],
    ['perYear', Date.UTC(2024, 0, 1), Date.UTC(2025, 0, 1)],
  ])('%s is fixed in UTC', (window, start, end) => {
    expect(windowStart(window, NOW)).toBe(start);
    expect(windowEnd(window, NOW)).toBe(end);
    expect(windowStart(window, start)).toBe(start);
    expect(windowStart(window, end - 1)).toBe(start);
    expect(windowStart(window, end)).toBe(end);
  });

  test('a week begins on Monday, also before 1970 and on a Sunday', () => {
    expect(windowStart('perWeek', Date.UTC(2024, 4, 19, 23, 59))).toBe(Date.UTC(2024, 4, 13));
    expect(new Date(windowStart('perWeek', -1)).getUTCDay()).toBe(1);
  });
});

describe('forms of rules', () => {
  const normal = {
    id: 'rl_players_gold',
    name: 'Gold',
    collection: 'players',
    since: 0,
    exact: false,
    field: 'gold',
    scope: 'per_player',
    action: 'reject',
    windows: [{ window: 'perDay', limit: 10 }],
  };

  test('window and limit, windows, and the flat form, bare or wrapped', () => {
    const { window: _, limit: __, ...bare } = rule();
    expect(normaliseRules([rule()])).toEqual([normal]);
    expect(normaliseRules({ rules: [{ ...bare, windows: { perDay: 10 } }] })).toEqual([normal]);
    expect(normaliseRules([{ ...bare, maxPerDay: 10 }])).toEqual([normal]);
    expect(normaliseRules([{ ...bare, windows: { perDay: 10, perMinute: 2 } }])[0]?.windows).toEqual([
      { window: 'perMinute', limit: 2 },
      { window: 'perDay', limit: 10 },
    ]);
  });

  test('missing and unknown members have defaults', () => {
    expect(normaliseRules([{ maxPerHour: 5, scope: 'x', action: 'y', id: 'bad id' }])).toEqual([
      {
        id: 'rl_all_all',
        name: 'rl_all_all',
        collection: '*',
        since: 0,
        exact: false,
        field: '*',
        scope: 'per_player',
        action: 'reject',
        windows: [{ window: 'perHour', limit: 5 }],
      },
    ]);
  });

  test('disabled rules and rules without a limit do not count', () => {
    for (const raw of [
      rule({ enabled: false }),
      rule({ enabled: 'false' }),
      rule({ limit: 0 }),
      rule({ limit: 'x' }),
      rule({ window: 'perAge' }),
      'text',
      null,
    ]) {
      expect(normaliseRules([raw])).toEqual([]);
    }
    expect(normaliseRules('text')).toEqual([]);
  });

  test('a limit that an editor sent as text counts', () => {
    const { window: _, limit: __, ...bare } = rule();
    for (const raw of [
      rule({ limit: '10' }),
      rule({ window: ' perDay ' }),
      { ...bare, windows: { perDay: '10' } },
      { ...bare, maxPerDay: '10' },
    ]) {
      expect(normaliseRules([raw])).toEqual([normal]);
    }
  });

  test('ids are unique, because counters are named by them', () => {
    const ids = normaliseRules([rule(), rule({ action: 'flag' }), rule({ id: 'own' }), rule({ id: 'own' })]).map(({ id }) => id);
    expect(ids).toEqual(['rl_players_gold', 'rl_players_gold_2', 'own', 'own_2']);
  });
});

describe('reject', () => {
  test('exactly the limit passes, and the counter moves', () => {
    const { windows: changes, document } = passed(growth(4, [rule()], { windowOf: used(6) }));
    expect(document).toEqual({ gold: 5 });
    expect(changes).toEqual([{ counter: COUNTER, rule: 'rl_players_gold', window: 'perDay', start: DAY_START, before: 6, after: 10 }]);
  });

  test('more is refused with rule, field, window and the seconds to its end', () => {
    expect(applyRules(growth(5, [rule()], { windowOf: used(6) }))).toMatchObject({
      code: 'RATE_LIMIT',
      // The console finds the rule by its name in it.
      message: 'The rate limit "Gold" was reached',
      status: 429,
      extra: { error: { rule: 'Gold', field: 'gold', window: 'perDay' }, retryAfter: 10 * 3600 + 14 * 60 + 30 },
    });
  });

  test('every window of a rule must pass', () => {
    const rules = [rule({ window: null, windows: { perMinute: 3, perDay: 100 } })];
    expect(applyRules(growth(4, rules))).toMatchObject({ extra: { error: { window: 'perMinute' }, retryAfter: 30 } });
    expect(passed(growth(3, rules)).windows).toHaveLength(2);
  });

  test('a window that has ended counts from 0; one that starts later is kept', () => {
    expect(passed(growth(10, [rule()], { windowOf: used(10, { start: DAY_START - 1 }) })).windows[0]?.before).toBe(0);
    expect(applyRules(growth(1, [rule()], { windowOf: used(10, { start: DAY_START + 86_400_000 }) }))).toMatchObject({
      code: 'RATE_LIMIT',
    });
  });

  test('the counters of a deleted rule are not used again, those of a changed one stay', () => {
    const [first, changed, other] = [rule(), rule({ limit: 5 }), rule({ id: 'other' })];
    const [morning, noon] = [DAY_START + 3_600_000, DAY_START + 43_200_000];
    const stored = datedRules([first], null, morning);
    const full = { windowOf: used(10, { start: morning }) };
    expect(datedRules([first], stored, noon)).toEqual(stored);
    expect(applyRules(growth(1, datedRules([changed, other], stored, noon), full))).toMatchObject({ code: 'RATE_LIMIT' });
    const again = datedRules([first], datedRules([other], stored, noon), noon);
    expect(passed(growth(10, again, full)).windows).toMatchObject([{ counter: COUNTER, start: noon, before: 0, after: 10 }]);
    expect(identifiedRules(again).map((each) => each.rule)).toEqual([first]);
  });

  test('a rule without an id keeps its counts if one before it on the same field is added, removed or changed', () => {
    const minute = rule({ name: 'A minute', window: 'perMinute', limit: 3 });
    const [day, week] = [rule(), rule({ name: 'A week', window: 'perWeek', limit: 50 })];
    const ids = (stored: Json) => normaliseRules(stored).map(({ id, since }) => [id, since]);
    const first = datedRules([minute, day], null, 7);
    expect(ids(first)).toEqual([
      ['rl_players_gold', 7],
      ['rl_players_gold_2', 7],
    ]);
    const alone = datedRules([day], first, 8);
    expect(ids(alone)).toEqual([['rl_players_gold_2', 7]]);
    expect(datedRules([day], alone, 9)).toEqual(alone);
    const between = datedRules([week, day, minute], alone, 9);
    expect(ids(between)).toEqual([
      ['rl_players_gold', 9],
      ['rl_players_gold_2', 7],
      ['rl_players_gold_3', 9],
    ]);
    expect(ids(datedRules([rule({ name: 'Day', limit: 20 }), { ...week, limit: 5 }], between, 10))).toEqual([
      ['rl_players_gold_2', 7],
      ['rl_players_gold', 9],
    ]);
    expect(identifiedRules(between).map((each) => each.rule)).toEqual([week, day, minute]);
    expect(datedRules([{ ...day, _ruleId: 'x' }], null, 7)).toEqual([{ ...day, _since: 7 }]);
  });

  test('a time that a push sends is ignored, and rules from before there were times keep 0', () => {
    expect(datedRules([{ ...rule(), _since: 5 }], null, 7)).toEqual([{ ...rule(), _since: 7 }]);
    expect(datedRules([rule()], [rule()], 7)).toEqual([rule()]);
  });

  test('a write that would count in too many windows is refused, with what helps', () => {
    const rules = Array.from({ length: 501 }, (_, n) => rule({ id: `r${n}`, window: null, windows: { perDay: 1e6, perWeek: 1e6 } }));
    expect(passed(growth(1, rules.slice(1))).windows).toHaveLength(1000);
    expect(applyRules(growth(1, rules))).toMatchObject({
      status: 413,
      code: 'APPEND_TOO_LARGE',
      message: expect.stringContaining('1002 windows'),
    });
  });

  test('rounding errors do not make the limit stricter', () => {
    const write = growth(0, [rule({ limit: 0.3 })], { windowOf: used(0.1), before: {}, after: { gold: 0.2 } });
    expect(passed(write).windows).toHaveLength(1);
  });
});

describe('amount', () => {
  test('upward moves of operations, or the difference when that is more', () => {
    const down = { before: { gold: 9 }, after: { gold: 7 }, increases: new Map([['gold', 2]]) };
    expect(passed(growth(0, [rule()], down)).windows[0]?.after).toBe(2);
    expect(passed(growth(0, [rule()], { ...down, after: { gold: 14 } })).windows[0]?.after).toBe(5);
  });

  test('without growth nothing counts, and nothing fails', () => {
    expect(passed(growth(-5, [rule()], { windowOf: used(10) })).windows).toEqual([]);
    expect(passed(growth(0, [rule()], { after: { gold: 'text' } })).windows).toEqual([]);
  });

  test('a missing old value counts as 0, also without a document', () => {
    expect(passed(growth(0, [rule()], { before: null, after: { gold: 4 } })).windows[0]?.after).toBe(4);
    expect(passed(growth(0, [rule()], { before: { gold: 'x' }, after: { gold: 4 } })).windows[0]?.after).toBe(4);
  });

  test('* counts writes', () => {
    expect(passed(growth(-5, [rule({ field: '*', limit: 1 })])).windows[0]).toMatchObject({
      counter: 'rl_players_all/players/*/perDay/p1',
      after: 1,
    });
  });

  test('a rule that counts writes does not read the old document', () => {
    const begin = () => {
      throw new Error('asked for');
    };
    const write = growth(0, [rule({ field: '*' })]);
    const draft = new DocumentDraft(write.draft, false, begin);
    expect(passed({ ...write, draft }).windows).toMatchObject([{ after: 1 }]);
  });

  test('a member that is left out reads as its default, which may be growth', () => {
    const schema = compileSchema({ gold: { type: 'number', default: 9 } });
    const leftOut = { schema, before: { gold: 1 }, after: { name: 'x' } };
    expect(passed(growth(0, [rule()], leftOut))).toMatchObject({ document: { name: 'x' }, windows: [{ after: 8 }] });
    expect(applyRules(growth(0, [rule()], { ...leftOut, windowOf: used(3) }))).toMatchObject({ code: 'RATE_LIMIT' });
    const clamped = passed(growth(0, [rule({ action: 'clamp' })], { ...leftOut, windowOf: used(6) }));
    expect(clamped).toMatchObject({ document: { name: 'x', gold: 5 }, clamped: [['gold', 5]] });
    expect(passed(growth(0, [rule()], { ...leftOut, before: { gold: 9 } })).windows).toEqual([]);
    expect(passed(growth(0, [rule()], { ...leftOut, before: null })).windows).toEqual([]);
  });

  test('the defaults of a document that is deleted and created again count: a player has them only once', () => {
    const schema = compileSchema({ gold: { type: 'number', default: 9 } });
    const again = { schema, before: null, isRecreated: true, after: { name: 'x' } };
    expect(passed(growth(0, [rule()], again)).windows).toMatchObject([{ after: 9 }]);
    expect(applyRules(growth(0, [rule()], { ...again, windowOf: used(3) }))).toMatchObject({ code: 'RATE_LIMIT' });
    const clamped = passed(growth(0, [rule({ action: 'clamp' })], { ...again, windowOf: used(6) }));
    expect(clamped).toMatchObject({ document: { name: 'x', gold: 4 }, windows: [{ after: 10 }] });
  });

  test.each([['999999'], [' 1e6 '], [['999999']], ['Infinity'], ['0x10']])('%o is counted as what an endpoint reads it as', (gold) => {
    expect(applyRules(growth(0, [rule()], { after: { gold } }))).toMatchObject({ code: 'RATE_LIMIT' });
    const clamped = passed(growth(0, [rule({ action: 'clamp' })], { after: { gold } }));
    expect(clamped.document).toEqual({ gold: 11 });
  });

  test('a number that was a text before has not grown', () => {
    expect(passed(growth(0, [rule()], { before: { gold: '999999' }, after: { gold: 1_000_000 } })).windows).toMatchObject([{ after: 1 }]);
    expect(passed(growth(0, [rule()], { before: { gold: 0 }, after: { gold: true } })).windows).toMatchObject([{ after: 1 }]);
    expect(passed(growth(0, [rule()], { before: { gold: 0 }, after: { gold: ['9', '9'] } })).windows).toEqual([]);
  });

  test('a default that is lowered inside a default object keeps the object’s other members', () => {
    const stats = { type: 'object', default: { gold: 9, hp: 5 }, properties: { gold: { type: 'number' } } };
    const write = { schema: compileSchema({ stats }), before: { stats: { gold: 1, hp: 5 } }, after: { name: 'x' } };
    const { document } = passed(growth(0, [rule({ action: 'clamp', field: 'stats.gold', limit: 4 })], write));
    expect(document).toEqual({ name: 'x', stats: { gold: 5, hp: 5 } });
  });

  test('exact numbers count by their exact growth', () => {
    const before = { gold: new ExactNumber('18446744073709551610') };
    const after = { gold: new ExactNumber('18446744073709551615') };
    expect(passed(growth(0, [rule()], { before, after })).windows[0]?.after).toBe(5);
    expect(applyRules(growth(0, [rule()], { before, after: { gold: new ExactNumber('1e400') } }))).toMatchObject({ code: 'RATE_LIMIT' });
  });
});

describe('subjects', () => {
  const counterOf = (changes: Growth, rules: Json = [rule()]) => passed(growth(1, rules, changes)).windows[0]?.counter;

  test('are the player of the key, the caller in global collections, or all players together', () => {
    expect(counterOf({ key: 'p2' })).toBe('rl_players_gold/players/gold/perDay/p2');
    expect(counterOf({ collection: collection({}, { type: 'global' }) })).toBe('rl_players_gold/players/gold/perDay/caller');
    expect(counterOf({}, [rule({ scope: 'global' })])).toBe('rl_players_gold/players/gold/perDay/*');
  });

  test('only rules of the collection count, by id or name in any letter case, and those for all', () => {
    const other = rule({ collection: 'others' });
    const rules = [other, rule({ collection: 'PLAYERS', id: 'by_id' }), rule({ collection: '*', id: 'all' })];
    expect(passed(growth(1, rules)).windows.map(({ rule: id }) => id)).toEqual(['by_id', 'all']);
    expect(passed(growth(1, [other])).windows).toEqual([]);
  });
});

describe('clamp', () => {
  const clamp = rule({ action: 'clamp' });

  test('the value is lowered to what is left', () => {
    const { document, clamped, clamps, windows: changes } = passed(growth(7, [clamp], { windowOf: used(6) }));
    expect(document).toEqual({ gold: 5 });
    expect(clamped).toEqual([['gold', 5]]);
    expect(clamps).toEqual([{ rule: 'Gold', field: 'gold', asked: 7, granted: 4 }]);
    expect(changes[0]).toMatchObject({ before: 6, after: 10 });
  });

  test('never below the old value; nothing left moves no counter', () => {
    const { document, clamps, windows: changes } = passed(growth(7, [clamp], { windowOf: used(25) }));
    expect(document).toEqual({ gold: 1 });
    expect(clamps).toMatchObject([{ asked: 7, granted: 0 }]);
    expect(changes).toEqual([]);
  });

  test('the strictest of several rules counts; clamps are recorded of those that granted less than was asked for', () => {
    const clamping = (limit: number, window: string) => rule({ action: 'clamp', limit, window });
    const rules = [clamping(4, 'perDay'), clamping(2, 'perMinute'), clamping(7, 'perWeek'), rule({ limit: 2 })];
    const { document, clamps, windows: changes } = passed(growth(7, rules));
    expect(document).toEqual({ gold: 3 });
    expect(clamps.map(({ asked, granted }) => [asked, granted])).toEqual([
      [7, 4],
      [7, 2],
    ]);
    expect(changes.map(({ after }) => after)).toEqual([2, 2, 2, 2]);
  });

  test('exact numbers are lowered exactly', () => {
    const before = { gold: new ExactNumber('18446744073709551600') };
    const after = { gold: new ExactNumber('18446744073709551615') };
    expect(passed(growth(0, [clamp], { before, after })).document).toEqual({ gold: new ExactNumber('18446744073709551610') });
  });

  test.each(['9007199254740993', '10000000000000001905969664', '9999999999999999905969664'])(
    'what a double lacks of %s is not let through, and what is granted is given',
    (gold) => {
      const after = { gold: new ExactNumber(gold) };
      const up = new Map([['gold', Number(gold)]]);
      expect(passed(growth(0, [clamp], { before: null, after })).document).toEqual({ gold: 10 });
      expect(passed(growth(0, [clamp], { before: null, after, increases: up })).document).toEqual({ gold: 10 });
      expect(passed(growth(0, [clamp], { before: { gold: 3 }, after })).document).toEqual({ gold: 13 });
    },
  );

  test('a field that moved up and then down keeps the downward move', () => {
    const increases = new Map([['gold', 40]]);
    expect(passed(growth(0, [clamp], { before: { gold: 1 }, after: { gold: 36 }, increases })).document).toEqual({ gold: 6 });
    // It moved down by more than was granted, so it keeps its value.
    expect(passed(growth(0, [clamp], { before: { gold: 1 }, after: { gold: 5 }, increases })).document).toEqual({ gold: 1 });
  });

  test.each([
    ['74e20000', '82e20000'],
    ['-45e20000', '-2e20000'],
    ['-45e20000', '82e20000'],
    // Its double is smaller.
    [`1.${'3'.repeat(10_001)}`, '82e20000', true],
  ])('a number that no amount can be added to stays as it was: %.12s', (before, after, isUsed = false) => {
    const held = { gold: new ExactNumber(before) };
    const used = windows({ 'rl_players_gold/players/gold/perDay/p1': { start: DAY_START, used: isUsed ? 10 : 0, flagged: false } });
    const write = growth(0, [clamp], { before: held, after: { gold: new ExactNumber(after) }, windowOf: used });
    expect(passed(write).document).toEqual(held);
  });

  test('numbers that are too far apart to be subtracted are compared all the same', () => {
    const [before, after] = ['1e-99999', '1e-50000'].map((text) => ({ gold: new ExactNumber(text) }));
    const write = growth(0, [clamp], { before: before ?? null, after: after ?? {}, increases: new Map([['gold', 1e300]]) });
    expect(passed(write).document).toEqual(before);
  });

  test('on * it rejects, because there is no field to lower', () => {
    const write = growth(1, [rule({ field: '*', action: 'clamp', limit: 1 })], {
      windowOf: windows({ 'rl_players_all/players/*/perDay/p1': { start: DAY_START, used: 1, flagged: false } }),
    });
    expect(applyRules(write)).toMatchObject({ code: 'RATE_LIMIT' });
  });
});

describe('flag', () => {
  const flag = rule({ action: 'flag' });

  test('the write passes; the first over the limit says so, later ones only count', () => {
    const first = passed(growth(5, [flag], { windowOf: used(6) }));
    expect(first.windows[0]).toMatchObject({ after: 11, flagged: true });
    expect(first.flags).toEqual([{ rule: 'Gold', window: 'perDay', start: DAY_START, subject: 'p1', amount: 5, limit: 10 }]);
    const second = passed(growth(5, [flag], { windowOf: used(11, { flagged: true }) }));
    expect(second.windows[0]).not.toHaveProperty('flagged');
    expect(second.flags).toEqual([]);
  });
});

describe('folding windows', () => {
  const change = { counter: COUNTER, rule: 'r', window: 'perDay', start: 5, before: 0, after: 3 };

  test('the flag lasts as long as the window', () => {
    const flagged = evolveWindow(null, { ...change, flagged: true });
    expect(flagged).toEqual({ start: 5, used: 3, flagged: true });
    expect(evolveWindow(flagged, { ...change, after: 4 })).toEqual({ start: 5, used: 4, flagged: true });
    expect(evolveWindow(flagged, { ...change, start: 6, after: 1 })).toEqual({ start: 6, used: 1, flagged: false });
  });
});

test('the daily limit comes before the rules, and counts one per write', () => {
  const limited = collection({}, { dailyLimit: { per: 'collection', count: 1 } });
  const { windows: changes } = passed(growth(1, [rule()], { collection: limited }));
  expect(changes.map(({ counter }) => counter)).toEqual(['@daily/players/*/perDay/*', COUNTER]);
});

test('a counter stays a key that an index can hold, whatever the field of its rule', () => {
  const field = 'é'.repeat(3000);
  const write = growth(1, [rule({ field })], { before: null, after: { [field]: 3 } });
  const [change] = passed(write).windows;
  expect(change?.after).toBe(3);
  expect(change?.counter.length).toBeLessThan(300);
});
