import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openExchange, queryOf } from '../../src/http/exchange.ts';

function queryIn(url: string) {
  const req = new IncomingMessage(new Socket());
  req.url = url;
  return queryOf(openExchange(req, () => null));
}

test('requests with the same query share one parsed object, and no other request has it', () => {
  const first = queryIn('/v3/storage/p/c/k?apiKey=pk_1&limit=%35&limit=6');
  expect(first).toEqual({ apiKey: 'pk_1', limit: ['5', '6'] });
  expect(queryIn('/v3/queries/p/top?apiKey=pk_1&limit=%35&limit=6')).toBe(first);
  expect(queryIn('/v3/storage/p/c/k?apiKey=pk_1&limit=5')).toEqual({ apiKey: 'pk_1', limit: '5' });
  expect(queryIn('/v3/storage/p/c/k')).toEqual({});
});

test('a long query is parsed completely, and not cached', () => {
  const url = `/v3/endpoints/p/slug?${Array.from({ length: 1_500 }, (_, index) => `n${index}=${index}`).join('&')}`;
  const long = queryIn(url);
  expect(Object.keys(long)).toHaveLength(1_500);
  expect(queryIn(url)).toEqual(long);
  expect(queryIn(url)).not.toBe(long);
});
