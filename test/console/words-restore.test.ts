import { describe, expect, it } from 'vitest';
import {
  changesToLookBefore,
  isAnythingLost,
  isTicked,
  lastLoss,
  mayCostSomebody,
  staysText,
  withCollection,
} from '../../src/console/words/restore.ts';

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
    const changes = (from: unknown, to: unknown) => ({
      documents: [{ collection: 'players', changes: [{ path: 'axe', from, to }] }],
      slots: [],
    });
    expect(isAnythingLost(changes(1, 6))).toBe(true);
    expect(isAnythingLost(changes(6, 1))).toBe(false);
    expect(isAnythingLost({ documents: [], slots: [{ is: 'made' }] })).toBe(true);
    expect(isAnythingLost({ documents: [], slots: [{ is: 'removed' }] })).toBe(false);
  });
});

describe('the box of a document', () => {
  const changes = [{ path: 'axe' }, { path: 'gold' }];
  const players = { collection: 'players', changes };
  const look = { documents: [players, { collection: 'pets', changes: [{ path: 'gold' }] }] };

  it('is ticked where a row under it is', () => {
    expect(isTicked(players, { out: [], keep: ['axe'] })).toBe(true);
    expect(isTicked(players, { out: [], keep: ['axe', 'gold'] })).toBe(false);
    expect(isTicked(players, { out: ['players'], keep: [] })).toBe(false);
  });

  it('takes all of its rows with it, and brings all where none was', () => {
    expect(withCollection(look, 'players', { out: [], keep: ['axe'] })).toEqual({ out: ['players'], keep: ['axe'] });
    expect(withCollection(look, 'players', { out: ['players'], keep: ['axe'] })).toEqual({ out: [], keep: ['axe'] });
    expect(withCollection(look, 'players', { out: [], keep: ['axe', 'gold', 'name'] })).toEqual({ out: [], keep: ['name'] });
  });
});

describe('who pays', () => {
  const nothing = { documents: [], coins: [], shortfalls: [] };

  it('is asked where money moves or another player has a part in it', () => {
    expect(mayCostSomebody({ ...nothing, documents: [{ key: '7' }, { key: '7_main' }] })).toBe(false);
    expect(mayCostSomebody({ ...nothing, documents: [{ key: '7' }, { key: '8' }] })).toBe(true);
    expect(mayCostSomebody({ ...nothing, coins: [{}] })).toBe(true);
    expect(mayCostSomebody({ ...nothing, shortfalls: [{}] })).toBe(true);
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
    expect(staysText([], true)).toBe('Nothing happened to this player since.');
    const many = [{ money: [], documents: [{ fields: [...'abcdefg'].map((path) => ({ path })) }] }];
    expect(staysText(many, true)).toBe('What happened since stays: a, b, c, d, e and 2 more (1 later commit).');
  });
});
