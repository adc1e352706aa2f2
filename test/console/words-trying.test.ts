import { describe, expect, it } from 'vitest';
import { candidateSaid, candidatesOf, factsOf, spreadOut } from '../../src/console/words/candidates.ts';
import { isSameOnLive, othersSaid, refusedSaid, tellingOf, workedOut } from '../../src/console/words/trying.ts';

/** Whom an endpoint is tried for, and what it worked out, in the words of the page. */

const BUY = {
  steps: [
    { id: 'me', type: 'read' },
    { id: 'unowned', type: 'condition' },
    { id: 'enough', type: 'condition' },
    { id: 'price', type: 'transform', expression: '{{values.shop.axe}} * 2' },
    { id: 'axe', type: 'lookup' },
  ],
};

const how = (code: string, why = '') => ({ code, why });

let minute = 0;
function called(
  platformId: string | null,
  slug: string | null,
  refused: { readonly code: string; readonly step: string | null } | null = null,
) {
  minute += 1;
  const at = new Date(minute * 60_000).toISOString();
  return { at, slug, platformId, code: refused?.code ?? null, step: refused?.step ?? null };
}

describe('who an endpoint is tried for', () => {
  const owned = { code: 'OWNED', step: 'unowned' };
  const poor = { code: 'POOR', step: 'enough > left' };
  const requests = [
    called('owner', 'buy'),
    called('poor', 'buy', poor),
    called('other', 'chop'),
    called('owner', 'buy', owned),
    called('buyer', 'buy'),
    called('late', 'buy', { code: 'RATE_LIMIT', step: null }),
    called(null, 'buy'),
    called('earlier', 'chop'),
    called('owner', 'chop'),
  ];
  const candidates = candidatesOf(BUY, requests, 'buy');

  it('begins with those for whom it just went through and those who did not try, in turn; who was refused comes last, by how far it went', () => {
    expect(candidates.map(({ id }) => id)).toEqual(['buyer', 'earlier', 'other', 'poor', 'owner', 'late']);
  });

  it('tells players apart by what they called last and how that ended, and by their first fields; a masked one says nothing', () => {
    const said = candidates.map((candidate) => candidateSaid(candidate, (at) => `${Date.parse(at) / 60_000}`));
    expect(said).toEqual([
      'did it 5',
      'chop 8, not this',
      'chop 3, not this',
      'refused 2: POOR',
      'refused 4: OWNED',
      'refused 6: RATE_LIMIT',
    ]);
    expect(factsOf({ mail: '[personal]', name: 'Ada', bag: { axe: 1 }, gold: 12, note: '', level: 3, isNew: true, xp: 9 })).toEqual([
      'name Ada',
      'gold 12',
      'level 3',
      'isNew true',
    ]);
    expect(factsOf({ name: 'Ada', bag: {}, gold: 12, level: 3, isNew: true, axe: 2 }, ['axe', 'gold'])).toEqual([
      'axe 2',
      'gold 12',
      'name Ada',
      'level 3',
    ]);
    // The name stands before them.
    expect(factsOf({ name: 'Ada', gold: 12 }, [], 'Ada')).toEqual(['gold 12']);
    expect(factsOf(undefined)).toEqual([]);
  });

  it('tries players who differ one after the other, those first who have what nobody had that was tried', () => {
    const has = new Map(
      Object.entries({ a: { axe: 5, gold: 1 }, b: { axe: 5, gold: 2 }, c: { axe: 2, gold: 3 }, d: { axe: 1, gold: 4 }, t: { axe: 2 } }),
    );
    expect(spreadOut(['a', 'b', 'c', 'd'], ['t'], has, ['axe', 'gold'])).toEqual(['a', 'd', 'c', 'b']);
    // Nothing parts them: the order stays.
    expect(spreadOut(['a', 'b'], [], has, ['axe'])).toEqual(['a', 'b']);
    expect(spreadOut(['a', 'x'], [], new Map(), ['axe'])).toEqual(['a', 'x']);
    const many = new Map(Array.from({ length: 20 }, (_, at) => [`${at}`, { gold: at }]));
    expect(spreadOut([...many.keys()], [], many, ['gold'])).toEqual([...many.keys()]);
  });

  it('says by which codes it was refused, the most frequent first, with what the game says', () => {
    const refused = [how('POOR'), how('OWNED', 'You own it.'), how('OWNED', 'You own it, too.'), how('')];
    expect(refusedSaid(refused)).toBe('2 times OWNED “You own it.”, once POOR, once refused');
  });
});

describe('what was worked out', () => {
  const step = (id: string, type: string, result: unknown, passed = true) => ({ id, type, result, passed });
  const run = (axe: number) => [
    step('me', 'read', { gold: axe }),
    step('price', 'transform', axe * 2),
    step('axe', 'lookup', { level: 2, name: 'Copper axe', price: axe }),
    step('left', 'transform', null, false),
  ];

  it('is each formula with its value, and not what is read, checked or refused', () => {
    expect(workedOut(BUY, run(7), null)).toEqual([
      { name: 'price', formula: 'values.shop.axe * 2', value: '14', live: null },
      { name: 'axe', formula: null, value: 'level 2, name Copper axe, price 7', live: null },
    ]);
  });

  it('beside live names what differs, member by member', () => {
    expect(workedOut(BUY, run(9), run(7))).toEqual([
      { name: 'price', formula: 'values.shop.axe * 2', value: '18', live: '14' },
      { name: 'axe › price', formula: null, value: '9', live: '7' },
    ]);
    // A step that live did not reach is compared with nothing.
    expect(workedOut(BUY, run(9), run(7).slice(0, 2))[1]).toMatchObject({ name: 'axe', live: null });
  });

  it('compares the same turn of a step that runs again and again, and is bounded', () => {
    const turns = (from: number) => Array.from({ length: 30 }, (_, turn) => step('price', 'compute', from + turn));
    const worked = workedOut(BUY, turns(10), turns(9));
    expect(worked).toHaveLength(20);
    expect(worked[1]).toMatchObject({ value: '11', live: '10' });
  });
});

it('a run on next says nothing new where live answers and writes the same', () => {
  const came = (price: number) => ({ result: { ok: true, body: { paid: price } }, pendingWrites: [{ key: 'a', data: { gold: -price } }] });
  expect(isSameOnLive(came(7), came(7))).toBe(true);
  expect(isSameOnLive(came(9), came(7))).toBe(false);
  expect(isSameOnLive(came(7), { ...came(7), pendingWrites: [] })).toBe(false);
  expect([isSameOnLive(came(7), null), isSameOnLive(came(7), undefined)]).toEqual([false, false]);
});

it('a run tells most where it goes through and live comes to something else, then where it is refused otherwise than on live', () => {
  const came = (price: number, ok = true) => ({ result: { ok, body: ok ? { paid: price } : { error: `This costs ${price}.` } } });
  expect([tellingOf(came(9), came(7)), tellingOf(came(9), null), tellingOf(came(9), came(7, false))]).toEqual([3, 3, 3]);
  expect([tellingOf(came(9, false), came(7, false)), tellingOf(came(9, false), came(7))]).toEqual([2, 2]);
  expect(tellingOf(came(7), came(7))).toBe(1);
  expect([tellingOf(came(7, false), came(7, false)), tellingOf(came(7, false), null), tellingOf(came(7, false), undefined)]).toEqual([
    0, 0, 0,
  ]);
});

it('of players for whom a run told nothing new it is said how many there were', () => {
  const ended = { isRefused: false, isNothingNew: false, refused: [], same: 0, isElseOffered: false };
  expect(othersSaid({ ...ended, isRefused: true, refused: [how('POOR')] })).toBe('');
  expect(othersSaid({ ...ended, isRefused: true, refused: [how('POOR'), how('POOR')] })).toBe(
    'It would be refused for all 2 that it was tried for: 2 times POOR.',
  );
  expect(othersSaid({ ...ended, refused: [how('POOR')] })).toBe('It was refused for one player: once POOR.');
  expect(othersSaid({ ...ended, isNothingNew: true, same: 1 })).toBe('Live and next come to the same for this player.');
  expect(othersSaid({ ...ended, isNothingNew: true, same: 3, refused: [how('POOR'), how('')] })).toBe(
    '5 players were tried, and none shows a difference. Live and next come to the same for the 3 for whom it goes through. It was refused for 2 players: once POOR, once refused.',
  );
  // A refusal that says something else than live does tells something new.
  const otherwise = { ...ended, isRefused: true, isOtherwise: true, isElseOffered: true };
  expect(othersSaid({ ...otherwise, refused: [how('POOR')] })).toBe('Live answers this player something else, as it stands below.');
  expect(othersSaid({ ...otherwise, same: 1, refused: [how('POOR'), how('OWNED')] })).toBe(
    'Live answers this player something else, as it stands below. Live and next come to the same for one player for whom it goes through. It would be refused for 2 players that it was tried for: once POOR, once OWNED.',
  );
  // And what to do then, where something else can be taken for what a player has.
  const toDo = 'What leads to the change shows it: try it as if the player had that, such as one level less, or more money.';
  const offered = { ...ended, isElseOffered: true };
  expect(othersSaid({ ...offered, isNothingNew: true, same: 1 })).not.toContain(toDo);
  expect(othersSaid({ ...offered, isNothingNew: true, same: 1, refused: [how('POOR')] })).toBe(
    `2 players were tried, and none shows a difference. Live and next come to the same for the one for whom it goes through. It was refused for one player: once POOR. ${toDo}`,
  );
  expect(othersSaid({ ...offered, isRefused: true, refused: [how('POOR'), how('POOR')] })).toContain(toDo);
});
