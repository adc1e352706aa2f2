import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../../src/domain/document/schema.ts';
import type { Personal } from '../../../src/domain/personal/fields.ts';
import { holdsMask, MASK, masked } from '../../../src/domain/personal/mask.ts';
import type { Json } from '../../../src/kernel/json.ts';

/** What is masked for people, by the shapes that answers have. */

const SCHEMA = {
  gold: { type: 'number' },
  email: { type: 'string', _personal: true },
  profile: { type: 'object', properties: { city: { type: 'string', _personal: true }, level: { type: 'number' } } },
  friends: {
    type: 'array',
    items: { type: 'object', properties: { nick: { type: 'string', _personal: true }, since: { type: 'number' } } },
  },
  notes: { type: 'object', _personal: true, properties: { a: { type: 'string' } } },
  ids: { type: 'object', additionalProperties: { type: 'string', _personal: true } },
} as const;
const { personal: PATHS } = compileSchema(SCHEMA);

const PERSONAL: Personal = {
  in: (collection) => (collection === 'feed' ? [] : PATHS),
  isNamedIn: (text) => text.includes('email'),
  isOpen: () => false,
  isShownBy: (query) => query === 'by-email',
  isHandledBy: (slug) => slug === 'mail',
  isCurrency: (currency) => currency === 'debt',
  isFollowedIn: () => false,
  isCountedBy: (rule) => rule === 'debts',
};
const shown = (value: Json, collections: readonly string[] = [], isFree = false) => masked(value, PERSONAL, { collections, isFree });

const SECRET = 'ada@example.org';
const DOCUMENT = {
  gold: 5,
  email: SECRET,
  profile: { city: SECRET, level: 2 },
  friends: [{ nick: SECRET, since: 1 }],
  notes: { a: SECRET },
  ids: { steam: SECRET },
};

test('personal paths go through objects, lists and maps, and end where a field is personal', () => {
  expect(PATHS).toEqual([['email'], ['profile', 'city'], ['friends', '*', 'nick'], ['notes'], ['ids', '*']]);
  expect(compileSchema(undefined).personal).toEqual([]);
});

test('which changes a restore counts as lost is told, and not what they were', () => {
  const change = { path: 'profile.city', from: SECRET, to: SECRET, lost: true };
  expect(shown({ changes: [change] }, ['saves'])).toEqual({ changes: [{ ...change, from: MASK, to: MASK }] });
  expect(shown({ changes: [{ ...change, lost: SECRET }] }, ['saves'])).toEqual({
    changes: [{ ...change, from: MASK, to: MASK, lost: MASK }],
  });
});

test('a document keeps what is not personal', () => {
  expect(shown(DOCUMENT, ['saves'])).toEqual({
    gold: 5,
    email: MASK,
    profile: { city: MASK, level: 2 },
    friends: [{ nick: MASK, since: 1 }],
    notes: MASK,
    ids: { steam: MASK },
  });
  expect(shown({ email: null, profile: 'none' }, ['saves'])).toEqual({ email: null, profile: 'none' });
  expect(shown({ ok: true, records: [{ collection: 'feed', email: 'open' }] })).toEqual({
    ok: true,
    records: [{ collection: 'feed', email: 'open' }],
  });
});

test('how much a flagged write asked for is told unless its rule counts a personal field', () => {
  const flag = (rule: string) => ({ collection: 'saves', rule, window: 'perDay', platformId: '42', amount: 900, limit: 5 });
  expect(shown({ flags: [flag('debts'), flag('gold')] })).toEqual({ flags: [{ ...flag('debts'), amount: MASK }, flag('gold')] });
});

test('a personal field that is called as a path is, is not told by the label beside it', () => {
  const named = { ...PERSONAL, in: () => [['path'], ['label'], ['field'], ['friends', '*', 'nick']] };
  const document = { path: SECRET, field: SECRET, label: 'home', gold: 5 };
  expect(masked(document, named, { collections: ['saves'], isFree: false })).toMatchObject({ path: MASK, field: MASK, label: MASK });
});

test('a document that names another collection is masked all the same', () => {
  expect(shown({ collection: 'feed', email: SECRET }, ['saves'])).toEqual({ collection: 'feed', email: MASK });
  const page = {
    documents: {
      items: [{ collection: 'saves', document: { collection: 'feed', email: SECRET, deep: { collectionId: 'feed', email: SECRET } } }],
    },
  };
  expect(JSON.stringify(shown(page))).not.toContain(SECRET);
});

describe('a change', () => {
  test.each<readonly [string, Json, Json]>([
    ['of the field', { path: '/email', before: SECRET, after: null }, { path: '/email', before: MASK, after: null }],
    ['inside it', { op: 'set', path: 'notes.a', value: SECRET }, { op: 'set', path: 'notes', value: MASK }],
    [
      'of a part of a document',
      { path: 'profile', from: { city: SECRET, level: 1 }, to: null },
      { path: 'profile', from: { city: MASK, level: 1 }, to: null },
    ],
    ['of the whole', { path: '$', value: { email: SECRET, gold: 1 } }, { path: '$', value: { email: MASK, gold: 1 } }],
    [
      'of an item',
      { path: '/friends/0/nick', label: `${SECRET} › nick`, after: SECRET },
      { path: '/friends/0/nick', label: 'friends › 0 › nick', after: MASK },
    ],
    ['of a list', { path: 'friends', after: [{ nick: SECRET, since: 1 }] }, { path: 'friends', after: [{ nick: MASK, since: 1 }] }],
    [
      'that pushes an item',
      { op: 'push', path: 'friends', value: { nick: SECRET, since: 1 } },
      { op: 'push', path: 'friends', value: { nick: MASK, since: 1 } },
    ],
    ['by any name', { path: 'email', made: SECRET, now: SECRET }, { path: 'email', made: MASK, now: MASK }],
    ['of another field', { path: '/gold', before: 1, after: 2 }, { path: '/gold', before: 1, after: 2 }],
  ])('%s', (_, change, expected) => {
    expect(shown([change])).toEqual([expected]);
  });
});

test('what a game made is masked by the last name of a path, and of an endpoint that handles personal values altogether', () => {
  expect(shown({ body: { who: { city: SECRET }, nick: SECRET } }, [], true)).toEqual({ body: { who: { city: MASK }, nick: MASK } });
  expect(shown({ input: { city: SECRET } })).toEqual({ input: { city: MASK } });
  const report = {
    endpoint: 'mail',
    result: { ok: true, status: 200, body: SECRET },
    steps: [{ output: SECRET }],
    pendingWrites: [{ key: '1', data: SECRET }],
  };
  expect(shown(report)).toEqual({
    endpoint: 'mail',
    result: { ok: true, status: 200, body: MASK },
    steps: [],
    pendingWrites: [{ key: '1', data: MASK }],
  });
  expect(shown({ query: 'by-email', rank: 3, value: 7 })).toEqual({ query: 'by-email', rank: null });
});

test('what a game made may name another collection, and is masked all the same', () => {
  expect(shown({ collection: 'feed', email: SECRET }, [], true)).toEqual({ collection: 'feed', email: MASK });
  expect(shown({ input: { collection: 'feed', email: SECRET } })).toEqual({ input: { collection: 'feed', email: MASK } });
});

test('texts that an endpoint worded which handles personal values are masked, and why a test of one did not pass', () => {
  expect(shown({ slug: 'mail', path: '/v3/x', message: `no ${SECRET}` })).toEqual({ slug: 'mail', path: '/v3/x', message: MASK });
  expect(shown({ slug: 'buy', message: 'too poor' })).toEqual({ slug: 'buy', message: 'too poor' });
  expect(shown({ field: 'gold', delta: 1, source: 'mail', reason: SECRET })).toEqual({
    field: 'gold',
    delta: 1,
    source: 'mail',
    reason: MASK,
  });
  const report = (endpoint: string, reason: string) => ({ endpoint, passed: false, reason, expectation: { passed: false, reason } });
  expect(shown(report('mail', SECRET))).toEqual(report('mail', MASK));
  expect(shown(report('buy', `Expected body.email to be "x", got "${SECRET}".`))).toEqual(report('buy', MASK));
  expect(shown({ endpoint: 'mail', errors: [SECRET], passed: false })).toEqual({ endpoint: 'mail', errors: [MASK], passed: false });
  expect(shown({ reason: 'wrong email', revision: 3 })).toEqual({ reason: 'wrong email', revision: 3 });
});

test('a refusal that names what stands below a personal field is masked; one that names the field, or any member of a map, is not', () => {
  const refused = (message: string) => ({ route: 'POST /x', code: 'SCHEMA_VALIDATION_FAILED', message });
  const told = ['email: expected string', 'ids.steam: expected string', 'profile.level: expected number', 'see notes. It is full'];
  expect(told.map((message) => shown(refused(message)))).toEqual(told.map(refused));
  const telling = [`notes.${SECRET} of ada: expected number`, 'friends.0.nick.x: expected', 'Another document has "notes.a.b"'];
  expect(telling.map((message) => shown(refused(message)))).toEqual(telling.map(() => refused(MASK)));
});

test('a field with a dot in its name is masked by the dotted path, too', () => {
  const { personal } = compileSchema({ 'e.mail': { type: 'string', _personal: true } });
  const dotted: Personal = { ...PERSONAL, in: () => personal };
  const change = { path: 'e.mail', from: SECRET, to: null };
  expect(masked(change, dotted, { collections: ['saves'], isFree: false })).toEqual({ path: 'e.mail', from: MASK, to: null });
});

test('property: wherever a document stands in an answer, its personal values are not in it', () => {
  const around = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constant<unknown>(DOCUMENT),
      fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
      fc.dictionary(fc.constantFrom('document', 'items', 'value', 'path', 'gold', 'collection'), tie('node'), { minKeys: 1 }),
    ),
  })).node;
  fc.assert(fc.property(around, (answer) => !JSON.stringify(shown(JSON.parse(JSON.stringify(answer)))).includes(SECRET)));
});

test('what is personal is asked for once by collection, however many changes an answer has', () => {
  let asked = 0;
  const countedIn: Personal['in'] = (collection) => {
    asked += 1;
    return PERSONAL.in(collection);
  };
  const counting: Personal = { ...PERSONAL, in: countedIn };
  const changes = Array.from({ length: 500 }, (_, n) => ({ path: `members.m${n}`, from: n, to: { deep: [{ n }] } }));
  const documents = [
    { collection: 'saves', key: 'one', changes },
    { collection: 'feed', key: 'two', changes },
  ];
  expect(masked({ documents }, counting, { collections: [], isFree: false })).toEqual({ documents });
  expect(asked).toBeLessThan(5);
});

test('a mask that comes back is noticed', () => {
  expect([holdsMask({ ops: [{ value: { email: MASK } }] }), holdsMask({ email: 'x' })]).toEqual([true, false]);
});

test('of a change below a personal field no more is told than that the field changed: names in it are parts of its value', () => {
  const change = (path: string) => shown({ path, from: SECRET, to: null }, ['saves']);
  expect(shown({ path: '/notes/a', label: 'notes › a', after: SECRET })).toEqual({ path: '/notes', label: 'notes', after: MASK });
  expect([change('notes.a'), change('/notes/a/b'), change('ids.steam'), change('profile.level')]).toEqual([
    { path: 'notes', from: MASK, to: null },
    { path: '/notes', from: MASK, to: null },
    { path: 'ids.steam', from: MASK, to: null },
    { path: 'profile.level', from: SECRET, to: null },
  ]);
});

test('of a currency that is personal it is not told how much there is, came and went, also where the field is not named', () => {
  const day = { currency: 'debt', day: '2026-03-01', closing: 7, top: { holders: 1, balance: 7 }, flows: '/x', active: null };
  expect(shown({ days: [day, { ...day, currency: 'gold' }] })).toEqual({
    days: [
      { ...day, closing: MASK, top: { holders: MASK, balance: MASK } },
      { ...day, currency: 'gold' },
    ],
  });
  const alarm = { revision: 5, currency: 'debt', amount: 7, player: 'p' };
  expect(shown({ alarms: [alarm] })).toEqual({ alarms: [{ ...alarm, amount: MASK }] });
});
