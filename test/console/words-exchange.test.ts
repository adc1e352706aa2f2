import { describe, expect, it } from 'vitest';
import { exchangesIn, goesBackToo, keptOf, ofWhatComesBack } from '../../src/console/words/exchange.ts';
import { placesBack, placesLost, untickedAtFirst } from '../../src/console/words/restore.ts';

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
const line = (path: string, from: unknown, to: unknown) => ({ path, from, to });
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
  const shown = look(line('iron', 5, 8), line('gold', 35, 5));
  const too = (commits: readonly ReturnType<typeof commit>[], isAll = true) =>
    goesBackToo({ commits, isAll }, PLAYER, placesLost(shown)).map(({ path }) => path);

  it('takes the coins with it where nothing else has touched either since, so that nobody has both', () => {
    expect(too([sold])).toEqual(['gold']);
    const again = commit(30, 'endpoint.call', [field('iron', 5, 4), field('gold', 35, 45)], ['gold']);
    expect(new Set(too([again, sold]))).toEqual(new Set(['gold']));
    expect(untickedAtFirst(shown)).toMatchObject({ keep: ['gold'] });
    const unticked = untickedAtFirst(shown, [at('gold')]);
    expect(unticked.keep).toEqual([]);
    const [sale] = exchangesIn([sold], PLAYER);
    expect(sale === undefined ? null : keptOf(sale, placesBack(shown, unticked))).toEqual([]);
  });

  it('leaves them, and names the sale, where other things happened to them, or not all is known', () => {
    const earned = commit(30, 'endpoint.call', [field('gold', 35, 40)], ['gold']);
    const mined = commit(30, 'endpoint.call', [field('iron', 5, 6)]);
    expect(too([earned, sold])).toEqual([]);
    expect(too([mined, sold])).toEqual([]);
    expect(too([sold], false)).toEqual([]);
    expect(too([{ ...sold, players: [PLAYER, '8'] }])).toEqual([]);
    expect(too([{ ...sold, documents: sold.documents.map((each) => ({ ...each, more: 2 })) }])).toEqual([]);
    const back = placesBack(shown, untickedAtFirst(shown));
    const [sale] = ofWhatComesBack(exchangesIn([earned, sold], PLAYER), back);
    expect([sale?.commit.revision, sale === undefined ? [] : keptOf(sale, back).map(({ path }) => path)]).toEqual([20, ['gold']]);
  });

  it('names nothing where what was sold stays away', () => {
    expect(ofWhatComesBack(exchangesIn([sold], PLAYER), placesBack(shown, { out: [], keep: ['iron'], slots: [] }))).toEqual([]);
    expect(ofWhatComesBack(exchangesIn([sold], PLAYER), placesBack(shown, { out: ['players'], keep: [], slots: [] }))).toEqual([]);
  });

  it('never takes back what is no number: whether it was got for that is not known', () => {
    const looted = commit(20, 'endpoint.call', [field('keys', 2, 1), field('bag', [], ['sword']), field('gold', 1, 3)]);
    expect(goesBackToo({ commits: [looted], isAll: true }, PLAYER, [at('keys')]).map(({ path }) => path)).toEqual(['gold']);
  });
});
