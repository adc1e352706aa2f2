import { expect, it } from 'vitest';
import { meaningOfRefusal } from '../../src/console/words/refused.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { CATALOGUE } from '../../src/kernel/errors.ts';

/** What support reads of the code of a request that was refused. */

/** Families of routes that games call. */
const OF_GAMES = ['storage', 'endpoints', 'queries', 'values', 'live', 'sessions', 'guests', 'security-config'];
/** Codes of no game: of people, of those who run the installation. */
const OF_NO_GAME = ['REVEAL_NEEDED', 'LOOK_NOT_RECORDED'];

const meaning = (code: string | null, slug: string | null = null) => meaningOfRefusal({ slug, code });

it('explains every code that a game can be refused with, in whole sentences', () => {
  const codes = new Set<string>(routes.filter(({ family }) => OF_GAMES.includes(family)).flatMap(({ errors }) => errors));
  const always = ['UNAUTHORIZED', 'RATE_LIMITED', 'PAYLOAD_TOO_LARGE', 'INTERNAL_ERROR', 'STORAGE_UNAVAILABLE', 'BUSY', 'OUTCOME_UNKNOWN'];
  const told = [...codes, ...always].filter((code) => Object.hasOwn(CATALOGUE, code) && !OF_NO_GAME.includes(code));
  expect(told.length).toBeGreaterThan(40);
  expect(told.filter((code) => meaning(code) === null)).toEqual([]);
  const texts = told.flatMap((code) => Object.values(meaning(code) ?? {}));
  expect(texts.filter((text) => !text.endsWith('.'))).toEqual([]);
});

it('explains a code of the game’s own by whose it is, and where to look; of a request that called nothing it knows no more', () => {
  expect(meaning('TOO_POOR', 'buy')?.means).toContain('The game itself refuses so');
  expect(meaning('ENDPOINT_ERROR.WRITE', 'buy')?.means).toContain('A step of the endpoint failed');
  expect(meaning('TOO_POOR')).toBeNull();
  expect(meaning(null, 'buy')).toBeNull();
  expect(meaning('ECONOMY_ALARM')?.means).toContain('Nothing was refused');
});

it('says the same of a limit as everywhere', () => {
  expect(meaning('RATE_LIMIT', 'buy')).toEqual({
    means: 'A limit of the game stands in the way.',
    toDo: 'Wait until it begins anew: the player’s page says when. An edit or a restore passes it.',
  });
});
