import { describe, expect, it } from 'vitest';
import { exchangesIn, goesBackToo, keptOf, ofWhatComesBack } from '../../src/console/words/exchange.ts';
import { chosenAtFirst, everything, placesBack, placesLost } from '../../src/console/words/restore.ts';

/** What a player got for what was lost, where somebody brings back the one. */

const PLAYER = '7';
const at = (path: string) => ({ collection: 'players', key: PLAYER, path });
const field = (path: string, before: unknown, value: unknown) => ({ path, before, value });
const commit = (revision: number, cause: string, fields: readonly ReturnType<typeof field>[], money: readonly string[] = []) => ({
  first: revision - 1,
  revision,
  cause,
  players: [PLAYER],
  money: money.map((path) => ({ collection: 'players', key: PLAYER, field: path })),
  documents: [{ space: 'live', collection: 'players', key: PLAYER, fields }],
});
const line = (path: string, isLost = false) => ({ path, ...(isLost ? { lost: true } : {}) });
const look = (...changes: readonly ReturnType<typeof line>[]) => ({
  documents: [{ collection: 'players', key: PLAYER, changes }],
  slots: [],
});

const sold = commit(20, 'endpoint.call', [field('iron', 8, 5), field('gold', 5, 35)], ['gold']);

describe('an exchange', () => {
  it('is a call that took something and gave something, a number or not', () => {
    const looted = commit(21, 'endpoint.call', [field('keys', 2, 1), field('bag', [], ['sword'])]);
    const [sale, loot] = exchangesIn([sold, looted], PLAYER);
    expect([sale?.took, sale?.gave]).toMatchObject([[at('iron')], [{ ...at('gold'), text: '5 → 35' }]]);
    expect(loot?.gave).toMatchObject([at('bag')]);
  });

  it('is no commit that only took or only gave, that is undone, or that put something right', () => {
    const others = [
      commit(21, 'endpoint.call', [field('iron', 8, 5)]),
      commit(22, 'endpoint.call', [field('gold', 5, 35)]),
      { ...sold, undone: { revision: 30 } },
      { ...sold, cause: 'commit.undo' },
    ];
    expect(exchangesIn(others, PLAYER)).toEqual([]);
    expect(exchangesIn([sold], '8')).toEqual([]);
  });

  it('is a saved document only as far as money was given: what else it changed may have nothing to do with what was lost', () => {
    const fields = [field('sword', 1, null), field('level', 3, 4), field('gold', 5, 35)];
    const [saved] = exchangesIn([commit(20, 'document.write', fields, ['gold'])], PLAYER);
    expect(saved?.gave).toMatchObject([at('gold')]);
    expect(exchangesIn([commit(20, 'document.write', fields)], PLAYER)).toEqual([]);
  });
});

describe('what comes back from before a sale', () => {
  const shown = look(line('iron', true), line('gold'));
  const too = (commits: readonly ReturnType<typeof commit>[], isAll = true) =>
    goesBackToo({ commits, isAll }, PLAYER, placesLost(shown)).map(({ path }) => path);

  it('takes the coins with it where nothing else has touched either since, so that nobody has both', () => {
    expect(too([sold])).toEqual(['gold']);
    const again = commit(30, 'endpoint.call', [field('iron', 5, 4), field('gold', 35, 45)], ['gold']);
    expect(new Set(too([again, sold]))).toEqual(new Set(['gold']));
    expect(chosenAtFirst(shown)).toMatchObject({ also: [] });
    const choice = chosenAtFirst(shown, [at('gold')]);
    expect(choice.also).toEqual(['gold']);
    const [sale] = exchangesIn([sold], PLAYER);
    expect(sale === undefined ? null : keptOf(sale, placesBack(shown, choice).places)).toEqual([]);
  });

  it('leaves them, and names the sale, where other things happened to them, or not all is known', () => {
    const earned = commit(30, 'endpoint.call', [field('gold', 35, 40)], ['gold']);
    const mined = commit(30, 'endpoint.call', [field('iron', 5, 6)]);
    expect(too([earned, sold])).toEqual([]);
    expect(too([mined, sold])).toEqual([]);
    expect(too([sold], false)).toEqual([]);
    expect(too([{ ...sold, players: [PLAYER, '8'] }])).toEqual([]);
    expect(too([{ ...sold, documents: sold.documents.map((each) => ({ ...each, more: 2 })) }])).toEqual([]);
    const back = placesBack(shown, chosenAtFirst(shown)).places;
    const [sale] = ofWhatComesBack(exchangesIn([earned, sold], PLAYER), back);
    expect([sale?.commit.revision, sale === undefined ? [] : keptOf(sale, back).map(({ path }) => path)]).toEqual([20, ['gold']]);
  });

  it('names nothing where what was sold stays away', () => {
    const atFirst = chosenAtFirst(shown);
    for (const choice of [
      { ...atFirst, keep: ['iron'] },
      { ...atFirst, out: ['players'] },
    ])
      expect(ofWhatComesBack(exchangesIn([sold], PLAYER), placesBack(shown, choice).places)).toEqual([]);
  });

  it('takes the coins with it, and is told, where the document is too large to be listed line by line', () => {
    const [document] = look(line('ore', true)).documents;
    const large = { documents: document === undefined ? [] : [{ ...document, moreLines: 30_000, lostLines: 20_000 }], slots: [] };
    const gone = goesBackToo({ commits: [sold], isAll: true }, PLAYER, placesLost(large));
    expect(gone.map(({ path }) => path)).toEqual(['gold']);
    expect(chosenAtFirst(large, gone).also).toEqual(['gold']);
    const exchanges = exchangesIn([sold], PLAYER);
    const told = (choice: Parameters<typeof placesBack>[1]) => {
      const { places, unlisted } = placesBack(large, choice);
      return ofWhatComesBack(exchanges, [...places, ...unlisted]).map((each) => keptOf(each, places).map(({ path }) => path));
    };
    expect(told(chosenAtFirst(large, gone))).toEqual([[]]);
    // Whether iron is among the lines that are not listed is not known.
    expect(told(chosenAtFirst(large))).toEqual([['gold']]);
    expect(told({ ...chosenAtFirst(large), out: ['players'] })).toEqual([]);
    expect(told(everything(large))).toEqual([[]]);
  });

  it('never takes back what is no number: whether it was got for that is not known', () => {
    const looted = commit(20, 'endpoint.call', [field('keys', 2, 1), field('bag', [], ['sword']), field('gold', 1, 3)]);
    expect(goesBackToo({ commits: [looted], isAll: true }, PLAYER, [at('keys')]).map(({ path }) => path)).toEqual(['gold']);
  });
});
