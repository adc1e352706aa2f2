import { expect, test } from 'vitest';
import { lookedAt, manyText } from '../../src/console/words/look.ts';
import { namingsOf } from '../../src/contract/looking.ts';
import { routes } from '../../src/contract/routes/index.ts';

test('what is looked at is said in plain words, and what has none by its own', () => {
  expect([lookedAt('readLedger'), lookedAt('readFooBar')]).toEqual(['the ledger', 'read foo bar']);
});

test('of many it is said how many, and what is of one thing names nobody', () => {
  expect([manyText(30, 'listDocuments'), manyText(undefined, 'exportDocuments')]).toEqual(['30 players', 'many players']);
  expect([manyText(undefined, 'readDocument'), manyText(undefined, 'callEndpoint')]).toEqual(['nobody by name', 'nobody by name']);
});

test('every page of a player that is read has words', () => {
  const read = routes.filter((route) => route.family === 'storage' && route.method === 'GET' && namingsOf(route).includes('key'));
  expect(read.map(({ id }) => id).filter((id) => /^read |^list |^compare |^probe /.test(lookedAt(id)))).toEqual([]);
});
