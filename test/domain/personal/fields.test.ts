import { describe, expect, test, vi } from 'vitest';
import { decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import { personalIn } from '../../../src/domain/personal/fields.ts';
import { MarkSearch } from '../../../src/domain/personal/marks.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, push, put, recorded } from '../definition/given.ts';

/** What counts as personal, and which definitions tell of it. */

const EMAIL = { type: 'string', _personal: true };
const SAVES = { id: 'saves', name: 'Player Saves', schema: { gold: { type: 'number' }, email: EMAIL } };
const FEED = { id: 'feed', name: 'feed', schema: { text: { type: 'string' } } };
const game = (schema: JsonObject = SAVES.schema): DefinitionsState => push(EMPTY, 'collection', [{ ...SAVES, schema }, FEED]);

/** Whether an endpoint with these steps and this answer counts as one that handles personal values. */
function isHandled(steps: Json, body: Json, more: (state: DefinitionsState) => DefinitionsState = (state) => state): boolean | undefined {
  const state = push(more(game()), 'endpoint', [{ slug: 'ask', method: 'POST', input: {}, steps, response: { body } }]);
  return personalIn(state)?.isHandledBy('ask');
}

const READ = { id: 'me', type: 'read', collection: 'saves', key: '{{platformId}}' };

describe('an endpoint that reads such documents', () => {
  test.each<readonly [string, Json, boolean]>([
    ['shows a document as it is', { all: '{{me}}' }, false],
    ['shows another field in a text', { said: 'you have {{me.gold}}' }, false],
    ['shows a field by its name', { said: 'to {{me.email}}' }, true],
    ['prints a document into a text', { said: 'all: {{me}}' }, true],
    ['prints a document into a text that is called as a comment is', { description: 'all: {{me}}' }, true],
    ['prints a document that a call passes on', { said: 'all: {{coalesce(0, default(me, 1))}}' }, true],
    ['prints a number that a call passes on', { said: 'you have {{coalesce(me.gold, null)}}' }, false],
    ['reads a member by a computed name', { one: '{{me[input.field]}}' }, true],
    ['reads one by a nested token', { one: '{{me.{{input.field}}}}' }, true],
    ['reads one by a function', { one: '{{get(me, input.field)}}' }, true],
    ['reads a quoted name', { one: '{{me["gold"]}}' }, false],
    ['prints what it was asked', { said: 'you said {{input}} at {{now}}' }, false],
    ['reads a game value by a computed name', { one: '{{values.prices[input.kind]}}' }, false],
  ])('that %s', (_, body, expected) => {
    expect(isHandled([READ], body)).toBe(expected);
  });

  test('finds them by the name of the collection, in any letter case, and by a template', () => {
    const said = { said: 'all: {{me}}' };
    expect(isHandled([{ ...READ, collection: 'player saves' }], said)).toBe(true);
    expect(isHandled([{ ...READ, collection: '{{input.where}}' }], said)).toBe(true);
    expect(isHandled([{ ...READ, collection: 'feed' }], said)).toBe(false);
  });

  test('is one also through a workflow', () => {
    const workflow = {
      id: 'tell',
      name: 'tell',
      params: {},
      steps: [READ, { id: 'text', type: 'compute', value: 'all: {{me}}' }],
      returns: '{{text}}',
    };
    const call = [{ id: 'told', type: 'workflow', workflow: 'tell' }];
    expect(isHandled(call, { said: '{{told}}' }, (state) => push(state, 'workflow', [workflow]))).toBe(true);
    expect(isHandled(call, { said: '{{told}}' })).toBe(false);
  });
});

test('what a rule counts is told unless it is of a personal field, or nobody knows of what it was', () => {
  const rule = (name: string, field: string, collection = '*') => ({ name, collection, field, window: 'perDay', limit: 5, action: 'flag' });
  const rules = [
    ...[rule('gold', 'gold'), rule('writes', '*'), rule('mail', 'email', 'player saves'), rule('mails', 'email.length')],
    ...[rule('feed', 'email', 'feed'), rule('points', 'score.points'), rule('lists', 'friends')],
  ];
  const number = { type: 'number', _personal: true };
  const friends = { type: 'array', items: { type: 'object', properties: { age: number } } };
  const schema = { ...SAVES.schema, score: { type: 'object', properties: { points: number } }, friends };
  const personal = personalIn(put(game(schema), 'rate-limit-rules', rules));
  const counted = [...rules.map(({ name }) => name), 'gone'].filter((name) => personal?.isCountedBy(name));
  expect(counted).toEqual(['mail', 'mails', 'points', 'lists', 'gone']);
});

test('a field whose name is no word is found in texts all the same', () => {
  const personal = personalIn(game({ 'e mail': EMAIL }));
  expect([personal?.isNamedIn('{{me["e mail"]}}'), personal?.isNamedIn('email')]).toEqual([true, false]);
});

test('a mark of the whole document is one of each of its members', () => {
  const fields = { gold: 'number', mail: { type: 'string', _unique: true } };
  const whole = (additionalProperties?: Json) =>
    personalIn(
      game({
        ...{ type: 'object', _personal: true, properties: fields },
        ...(additionalProperties === undefined ? {} : { additionalProperties }),
      }),
    )?.in('saves');
  expect(whole(false)).toEqual([['gold'], ['mail']]);
  expect(whole()).toEqual([['gold'], ['mail'], ['*']]);
  expect(whole({ type: 'string' })).toEqual([['gold'], ['mail'], ['*']]);
});

test('where members of any name are personal no text names one, and whatever reaches their collection tells of them', () => {
  const any = { type: 'object', properties: {}, additionalProperties: { type: 'string', _personal: true } };
  const board = (id: string, collectionId: string) => ({
    id,
    name: id,
    type: 'leaderboard',
    sources: [{ collectionId }],
    config: { field: 'x' },
  });
  const ask = (slug: string, collection: string) => ({
    ...{ slug, method: 'POST', input: {}, steps: [{ ...READ, collection }], response: { body: { x: '{{me.x}}' } } },
  });
  const endpoints = [ask('near', 'player saves'), ask('far', 'feed'), ask('where', '{{input.where}}')];
  const state = push(push(game(any), 'query', [board('bysaves', 'saves'), board('byfeed', 'feed')]), 'endpoint', endpoints);
  const personal = personalIn(state);
  expect(['100', 'x', 'gold'].map((text) => personal?.isNamedIn(text))).toEqual([false, false, false]);
  expect(['saves', 'Player Saves', 'feed'].map((name) => personal?.isOpen(name))).toEqual([true, true, false]);
  expect(['bysaves', 'byfeed'].map((query) => personal?.isShownBy(query))).toEqual([true, false]);
  expect(['near', 'far', 'where'].map((slug) => personal?.isHandledBy(slug))).toEqual([true, false, true]);
  expect(personalIn(game())?.isOpen('saves')).toBe(false);
});

test('a field called as a word of the format is not found in the text of a file, nor in what a definition says of itself', () => {
  const state = push(EMPTY, 'collection', [{ ...SAVES, schema: { gold: { type: 'number' }, name: EMAIL } }]);
  const handles = (body: Json) => {
    const ask = { slug: 'ask', method: 'POST', input: {}, steps: [READ], description: 'Knows no name', response: { body } };
    const sourceText = JSON.stringify({ name: 'Ask', ...ask });
    return personalIn(push(state, 'endpoint', [{ ...ask, sourceText }]))?.isHandledBy('ask');
  };
  expect([handles({ gold: '{{me.gold}}' }), handles({ description: '{{me.name}}' })]).toEqual([false, true]);
});

test('an endpoint that calls one that prints whole documents tells of them, too', () => {
  const print = { slug: 'printer', method: 'POST', input: {}, steps: [READ], response: { body: { said: 'all: {{me}}' } } };
  const call = [{ id: 'told', type: 'call', target: 'printer' }];
  expect(isHandled(call, { said: '{{told}}' }, (state) => push(state, 'endpoint', [print]))).toBe(true);
});

test('a row of endpoints that call one another is read once each, however long it is', () => {
  const LONG = 300;
  const last = { slug: `e${LONG}`, method: 'POST', input: {}, steps: [READ], response: { body: { said: '{{me.email}}' } } };
  const row = Array.from({ length: LONG }, (_, n) => ({
    ...{ slug: `e${n}`, method: 'POST', input: {} },
    ...{ steps: [{ id: 'told', type: 'call', target: `e${n + 1}` }], response: { body: { said: '{{told}}' } } },
  }));
  const state = push(game(), 'endpoint', [...row, last, { ...last, slug: 'other', response: { body: { said: '{{me.gold}}' } } }]);
  const match = vi.spyOn(String.prototype, 'match');
  const personal = personalIn(state);
  const times = match.mock.calls.length;
  match.mockRestore();
  expect(times).toBeLessThan(20 * LONG);
  expect(['e0', 'e150', `e${LONG}`, 'other'].map((slug) => personal?.isHandledBy(slug))).toEqual([true, true, true, false]);
});

test('a currency is personal where a number of it is, by its name or by the path of the field', () => {
  const number = { type: 'number', _ledger: true };
  const own = { ...number, _personal: true };
  const wallets = { type: 'object', _personal: true, additionalProperties: { ...number } };
  const personal = personalIn(game({ gold: number, debt: own, loan: { ...own, _currency: 'credit' }, wallets }));
  const found = ['saves.debt', 'credit', 'saves.wallets.x', 'saves.gold', 'saves.loan', 'debt'].filter((name) =>
    personal?.isCurrency(name),
  );
  expect(found).toEqual(['saves.debt', 'credit', 'saves.wallets.x']);
  const earlier = personalIn(game({ gold: number, email: EMAIL }), [{ collection: 'saves', path: ['debt'] }]);
  expect(['saves.debt', 'saves.gold'].map((name) => earlier?.isCurrency(name))).toEqual([true, false]);
});

describe('what an earlier schema marked', () => {
  const EARLIER = [
    { collection: 'saves', path: ['email'] },
    { collection: 'gone', path: ['phone'] },
  ];
  const pathsOf = (state: DefinitionsState, collection: string) => personalIn(state, EARLIER)?.in(collection);

  test('stays personal where live no longer describes it: the field or the collection is gone', () => {
    expect(pathsOf(game({ gold: { type: 'number' }, mail: EMAIL }), 'saves')).toEqual([['mail'], ['email']]);
    expect(pathsOf(game({ gold: { type: 'number' } }), 'gone')).toEqual([['phone']]);
    expect(personalIn(EMPTY, EARLIER)?.isNamedIn('phone')).toBe(true);
  });

  test('is no longer where live describes the field without the mark; what is staged does not say so', () => {
    expect(pathsOf(game({ email: { type: 'string' } }), 'saves')).toEqual([]);
    const staged = push(game({ gold: { type: 'number' } }), 'collection', [{ id: 'saves', schema: { email: { type: 'string' } } }], 'next');
    expect(pathsOf(staged, 'saves')).toEqual([['email']]);
  });

  test('is gathered from the events of the definitions, newest first, whatever was published since', () => {
    const first = accepted(decideUpsertMany(EMPTY, 'collection', [SAVES], { target: 'live', replaceAll: false })).events;
    const state = fold(EMPTY, first);
    const second = accepted(
      decideUpsertMany(state, 'collection', [{ ...SAVES, schema: { gold: { type: 'number' } } }], { target: 'live', replaceAll: false }),
    ).events;
    const search = new MarkSearch();
    for (const event of [...first, ...second].toReversed()) search.take(recorded(event));
    expect([search.marks, search.missing]).toEqual([[{ collection: 'saves', path: ['email'] }], []]);
  });
});
