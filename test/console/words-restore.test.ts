import { describe, expect, it } from 'vitest';
import { isLost } from '../../src/console/words/lost.ts';
import {
  askedFor,
  type Choice,
  changesToLookBefore,
  chosenAtFirst,
  everything,
  isAllTicked,
  isAnyTicked,
  isAnythingLost,
  isBack,
  isTicked,
  lastLoss,
  othersPay,
  staysText,
  undoCosts,
  unlistedText,
  withCollection,
  withLine,
} from '../../src/console/words/restore.ts';
import { isLost as lostByServer } from '../../src/domain/correction/lost.ts';

/** What the page says that brings something back, and the dialog that undoes a commit. */

const document = (key: string, ...fields: readonly object[]) => ({ space: 'live', collection: 'players', key, fields: fields as [] });
const commit = (revision: number, ...documents: readonly ReturnType<typeof document>[]) => ({ first: revision - 1, revision, documents });
const axe = (before: unknown, value: unknown) => ({ path: 'axe', before, value });

describe('when the player still had it', () => {
  const loss = commit(20, document('7', axe(6, 1)));
  const later = Array.from({ length: 12 }, (_, place) => commit(60 - 2 * place, document('7', { path: 'wood', before: 1, value: 2 })));

  it('is looked for before the last changes: those after which something was less are among them, whatever came later', () => {
    const offered = changesToLookBefore([...later, loss, commit(18, document('7', axe(null, 6)))], '7');
    expect(offered).toHaveLength(8);
    expect(offered.at(-1)).toBe(loss);
    expect(lastLoss([...later, loss], '7')).toBe(loss);
  });

  it('is no commit that changed nothing of the player in live, nor the first of the log', () => {
    const staged = { ...commit(9, document('7', axe(6, 1))), documents: [{ ...document('7', axe(6, 1)), space: 'next1' }] };
    const first = { ...commit(1, document('7', axe(6, 1))), first: 0 };
    expect(changesToLookBefore([staged, commit(8, document('8', axe(6, 1))), first], '7')).toEqual([]);
    expect(changesToLookBefore([commit(8, document('7_main'))], '7')).toHaveLength(1);
  });

  it('is not looked for before what is undone', () => {
    const undone = { ...loss, undone: { revision: 90 } };
    expect(changesToLookBefore([undone], '7')).toEqual([]);
    expect(lastLoss([undone], '7')).toBeUndefined();
  });

  it('something that is gone was more before, and what came was not', () => {
    expect(lastLoss([commit(8, document('7', axe(6, null)))], '7')).toBeDefined();
    expect(lastLoss([commit(8, document('7', axe(null, 6)))], '7')).toBeUndefined();
    // A long value is not told: whether it became less is not known.
    expect(lastLoss([commit(8, document('7', { path: 'bag' }))], '7')).toBeUndefined();
  });

  it('is after the loss where nothing is less now', () => {
    const differing = (lostLines: number) => ({ documents: [{ lostLines }], slots: [] });
    expect(isAnythingLost(differing(1))).toBe(true);
    expect(isAnythingLost(differing(0))).toBe(false);
    expect(isAnythingLost({ documents: [], slots: [{ is: 'made' }] })).toBe(true);
    expect(isAnythingLost({ documents: [], slots: [{ is: 'removed' }] })).toBe(false);
  });

  it('is where the server says so, too: what is less, or gone, is one rule', () => {
    const values = [undefined, null, 0, -3, 2.5, 'a', '', true, [], [1], [1, 1], [1, 'x'], [{ id: 1 }, 1]];
    for (const now of values)
      for (const then of values) expect([now, then, isLost(now, then)]).toEqual([now, then, lostByServer(now, then)]);
  });
});

const lost = (path: string) => ({ path, lost: true });
const differing = (collection: string, changes: readonly { readonly path: string }[], key = '7') => ({ collection, key, changes });
const look = {
  documents: [
    differing('players', [lost('gold'), { path: 'name' }, { path: 'level' }]),
    differing('heroes', [{ path: 'level' }]),
    differing('pets', [{ path: '' }]),
    differing('homes', [lost('')]),
  ],
  slots: [],
};
const ticked = (of: typeof look, choice: Choice) =>
  of.documents.flatMap((each) =>
    each.changes.filter((line) => isBack(of, each, line, choice)).map(({ path }) => `${each.collection}/${path}`),
  );

describe('what comes back', () => {
  const atFirst = chosenAtFirst(look);

  it('is what was lost, unless somebody chooses otherwise, and the server is asked for just that', () => {
    expect(ticked(look, atFirst)).toEqual(['players/gold', 'homes/']);
    const nothing = { collections: [], keep: [], keepSlots: [], also: [], alsoCollections: [], alsoSlots: [] };
    expect(askedFor(look, atFirst)).toEqual({ ...nothing, lost: true });
    expect([isAnyTicked(look, atFirst), isAllTicked(look, atFirst)]).toEqual([true, false]);
    const all = everything(look);
    expect(ticked(look, all)).toHaveLength(6);
    expect(askedFor(look, all)).toEqual({ ...nothing, lost: true, alsoCollections: ['players', 'heroes', 'pets', 'homes'] });
    expect(isAllTicked(look, all)).toBe(true);
  });

  it('changes line by line: a click counts for all documents that have the path', () => {
    const [players, heroes] = look.documents;
    if (players === undefined || heroes === undefined) throw new Error('no documents');
    const clicked = (document: typeof players, path: string, choice: Choice) =>
      withLine(look, document, document.changes.find((line) => line.path === path) ?? { path }, choice);
    const more = clicked(players, 'level', atFirst);
    expect(ticked(look, more)).toEqual(['players/gold', 'players/level', 'heroes/level', 'homes/']);
    expect(askedFor(look, more)).toMatchObject({ also: ['level'], keep: [] });
    const less = clicked(heroes, 'level', clicked(players, 'gold', more));
    expect(ticked(look, less)).toEqual(['homes/']);
    expect(askedFor(look, less)).toMatchObject({ also: [], keep: ['gold', 'level'] });
    expect(ticked(look, clicked(players, 'gold', less))).toEqual(['players/gold', 'homes/']);
    // What is kept around a path is kept no more once a path in it is asked for.
    expect(clicked(players, 'gold', { ...atFirst, keep: ['gold', 'name'] }).keep).toEqual(['name']);
  });

  it('is no slot that came since, with its data, unless that is ticked', () => {
    const slot = { collection: 'saves', player: '7' };
    const slots = [
      { ...slot, recordId: 'new', is: 'removed' },
      { ...slot, recordId: 'old', is: 'made' },
    ];
    const ofNew = differing('saves', [{ path: '' }], '7_new');
    const withSlots = { documents: [ofNew], slots };
    const begun = chosenAtFirst(withSlots);
    expect(askedFor(withSlots, begun)).toMatchObject({ keepSlots: ['new'], alsoSlots: [] });
    expect([isTicked(withSlots, ofNew, begun), isAnyTicked(withSlots, begun)]).toEqual([false, true]);
    const gone = { ...begun, slots: ['old'] };
    expect(askedFor(withSlots, gone)).toMatchObject({ keepSlots: ['old'], alsoSlots: ['new'] });
    expect(isTicked(withSlots, ofNew, gone)).toBe(true);
  });
});

describe('a document of which not all lines are listed', () => {
  const large = { ...differing('bags', [lost('a'), lost('b')]), moreLines: 30, lostLines: 12 };
  const of = { documents: [large], slots: [] };
  const atFirst = chosenAtFirst(of);

  it('says what becomes of the others, and is ticked while some of them go back', () => {
    expect(unlistedText(of, large, atFirst)).toBe('Of 30 more, which are not listed here, 10 were lost and go back; the others stay.');
    expect(unlistedText(of, large, everything(of))).toContain('all go back');
    expect(unlistedText(of, large, { ...atFirst, out: ['bags'] })).toContain('none goes back');
    expect(isTicked(of, large, { ...atFirst, keep: ['a', 'b'] })).toBe(true);
    expect(isTicked(of, { ...large, lostLines: 2 }, { ...atFirst, keep: ['a', 'b'] })).toBe(false);
    expect([isAllTicked(of, atFirst), isAllTicked(of, everything(of))]).toEqual([false, true]);
  });
});

describe('the box of a document', () => {
  const changes = [lost('axe'), lost('gold')];
  const players = differing('players', changes);
  const both = { documents: [players, differing('pets', [{ path: 'gold' }])], slots: [] };
  const atFirst = chosenAtFirst(both);

  it('is ticked where a row under it is', () => {
    expect(isTicked(both, players, { ...atFirst, keep: ['axe'] })).toBe(true);
    expect(isTicked(both, players, { ...atFirst, keep: ['axe', 'gold'] })).toBe(false);
    expect(isTicked(both, players, { ...atFirst, out: ['players'] })).toBe(false);
  });

  it('takes all of its rows with it, and brings all where none was', () => {
    const kept = { ...atFirst, keep: ['axe'] };
    expect(withCollection(both, 'players', kept)).toEqual({ ...kept, out: ['players'] });
    expect(withCollection(both, 'players', { ...kept, out: ['players'] })).toEqual(kept);
    const none = { ...atFirst, keep: ['axe', 'gold', 'name'] };
    expect(withCollection(both, 'players', none)).toEqual({ ...none, keep: ['name'], whole: ['players'] });
    expect(withCollection(both, 'pets', atFirst)).toEqual({ ...atFirst, whole: ['pets'] });
  });
});

describe('who pays', () => {
  const nothing = { documents: [], coins: [], shortfalls: [] };
  const own = { collection: 'players', key: '7' };
  const market = { collection: 'town', key: 'market' };

  it('is asked of an undo that takes money, or of which several players have a part, and not for what all share', () => {
    const costs = (moves: object) => undoCosts({ ...nothing, ...moves }, ['town']);
    expect(costs({ documents: [own, { ...own, key: '7_main' }, market] })).toBe(false);
    expect(costs({ documents: [own, { ...own, key: '8' }] })).toBe(true);
    expect(costs({ coins: [{ player: '7', delta: 132 }] })).toBe(false);
    expect(costs({ coins: [{ player: '7', delta: -2 }] })).toBe(true);
    expect(costs({ shortfalls: [{}] })).toBe(true);
  });

  it('is asked of a restore where it would take something from somebody else, and not for money of the player alone', () => {
    const pay = (moves: object) => othersPay({ ...nothing, ...moves }, '7', ['town']);
    expect(pay({ documents: [own, market], coins: [{ player: '7', delta: 77 }] })).toBe(false);
    expect(pay({ documents: [own, { ...own, key: '8' }] })).toBe(true);
    expect(pay({ coins: [{ player: '8', delta: -20 }] })).toBe(true);
  });
});

describe('what an undo leaves as it is', () => {
  it('is said by name', () => {
    const money = [{ field: 'gold' }];
    const later = [
      { money, documents: [{ fields: [{ path: 'gold' }, { path: 'wood' }] }] },
      { money: [], documents: [{}] },
    ];
    expect(staysText(later, true)).toBe('What happened since stays: gold, wood (2 later commits).');
    expect(staysText([{ money: [], documents: [{}] }], false)).toBe('What happened since stays: more than 1 later commit.');
    // What the undo changes is not told as what stays.
    expect(staysText(later, true, ['wood'])).toBe('What else happened since stays: gold (2 later commits).');
    expect(staysText([], true)).toBe('Nothing of this player changed since.');
    const many = [{ money: [], documents: [{ fields: [...'abcdefg'].map((path) => ({ path })) }] }];
    expect(staysText(many, true)).toBe('What happened since stays: a, b, c, d, e and 2 more (1 later commit).');
  });
});
