import { expect, test } from 'vitest';
import { actsAround, lookedAt, manyText, unnamedText, visitsOf, whenText } from '../../src/console/words/look.ts';
import { namingsOf, tellsOfPlayers } from '../../src/contract/looking.ts';
import { routes } from '../../src/contract/routes/index.ts';

test('what is looked at is said in plain words, and what has none by its own', () => {
  expect([lookedAt('readLedger'), lookedAt('readFooBar')]).toEqual(['the ledger', 'read foo bar']);
});

test('of many it is said how many, and what is of one thing names nobody', () => {
  expect([manyText(30, 'listDocuments'), manyText(undefined, 'exportDocuments')]).toEqual(['30 players', 'many players']);
  expect([manyText(undefined, 'readDocument'), manyText(undefined, 'callEndpoint')]).toEqual(['nobody by name', 'nobody by name']);
});

test('what one person saw of one player within a minute of the clock is one visit, which nothing changes that comes; what names nobody, or was revealed, is its own', () => {
  const look = (at: string, page: string, more = {}) => ({ at: `2026-03-01T12:${at}.000Z`, person: 'per_1', player: '42', page, ...more });
  const looks = [
    look('05:20', 'listen'),
    look('05:10', 'showPlayer', { person: 'per_2' }),
    look('05:05', 'explain'),
    look('05:04', 'explain'),
    look('05:03', 'readDocument', { reason: 'wrote to support' }),
    look('04:58', 'showPlayer'),
    look('04:20', 'showTimeline'),
    { at: '2026-03-01T12:04:10.000Z', person: 'per_1', page: 'listCommits' },
    { at: '2026-03-01T12:04:09.000Z', person: 'per_1', page: 'listCommits' },
  ];
  expect(visitsOf(looks).map(({ look: { person }, saw }) => [person, ...saw])).toEqual([
    ['per_1', 'live changes', 'what an id is'],
    ['per_2', 'the player’s page'],
    ['per_1', 'a document'],
    ['per_1', 'the player’s page', 'what happened to the player'],
    ['per_1', 'what happened'],
    ['per_1', 'what happened'],
  ]);
  expect(visitsOf(looks)[0]).toMatchObject({ look: { at: '2026-03-01T12:05:20.000Z' }, began: '2026-03-01T12:05:04.000Z' });
  // Of a list that goes on, what may be cut waits for the rest.
  const whole = visitsOf(looks.slice(0, 6), true);
  expect(whole).toEqual(visitsOf(looks).slice(0, 3));
  expect(visitsOf(looks.slice(0, 2), true)).toHaveLength(2);
});

test('beside a visit stands what the same person did last before it and first after it, whatever comes later', () => {
  const act = (revision: number, minute: number, person = 'per_1') => ({
    revision,
    at: `2026-03-01T12:${minute}:00.000Z`,
    actor: { person },
    why: { reason: 'lost a sword' },
  });
  const visit = { look: { at: '2026-03-01T12:20:50.000Z', person: 'per_1' }, began: '2026-03-01T12:20:00.000Z', saw: [] };
  const { why: _, ...unsaid } = act(9, 20);
  const acts = [act(1, 10), act(2, 18), act(3, 22), act(4, 20, 'per_2'), unsaid];
  expect(actsAround(visit, acts).map(({ revision }) => revision)).toEqual([2, 3]);
  expect(actsAround(visit, [...acts, act(10, 23)]).map(({ revision }) => revision)).toEqual([2, 3]);
  expect(actsAround(visit, [act(5, 36), act(4, 20, 'per_2')])).toEqual([]);
  expect([18, 20, 22].map((minute) => whenText(visit.began, act(1, minute).at))).toEqual(['2 min before', 'right then', '2 min later']);
  const after = (ms: number) => whenText(visit.began, new Date(Date.parse(visit.began) + ms).toISOString());
  expect([-11_000, 400, 37_000, 59_900].map(after)).toEqual(['11 s before', 'right then', '37 s later', '1 min later']);
});

test('a list of one player says that lists of many are not in it', () => {
  expect(unnamedText({ looks: 3, isMore: false }, true)).toMatch(/shown this one: 3 in this time\.$/);
  expect(unnamedText({ looks: 50, isMore: true }, false)).toMatch(/shown this one: 50 or more\.$/);
  expect(unnamedText({ looks: 0, isMore: false }, false)).toMatch(/there were none\.$/);
});

test('whatever shows players to people has words', () => {
  const own = (id: string) => id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const shown = routes.filter((route) => tellsOfPlayers(route) && namingsOf(route).length > 0);
  expect(shown.map(({ id }) => id).filter((id) => lookedAt(id) === own(id))).toEqual([]);
});
