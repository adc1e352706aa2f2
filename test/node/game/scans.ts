import { describe, expect, test } from 'vitest';
import { bodyOf, type Client, NEXT, ok, refused } from '../support/game-client.ts';

/** Endpoints that look through whole collections. */
export function scans(game: () => Client): void {
  describe('an endpoint over a whole collection', () => {
    const at = (key: string, headers = {}, body: object = {}) => game().play('POST', game().endpoint(key), { body, headers });
    const write = (id: string, more: object) => ({ id, type: 'write', collection: 'stalls', ...more });
    const priced = (price: unknown) => [{ op: 'set', path: 'price', value: price }];

    test('finds every document, those of a moment ago and of the call itself included', async () => {
      await ok(
        game().manage('POST', game().definitions('collections'), { body: [{ id: 'stalls', name: 'stalls', collectionType: 'global' }] }),
      );
      const cheap = { type: 'filter', collection: 'stalls', where: { field: 'price', op: '<', value: '{{input.below|10}}' } };
      const found = { body: { prices: '{{prices}}' } };
      const pluck = { id: 'prices', type: 'transform', expression: 'pluck(cheap, price)' };
      const stock = write('w', { key: '{{k}}', ops: priced('{{input.price|50}}') });
      const list = [
        { id: 'put', slug: 'put', steps: [write('w', { key: '{{input.k}}', ops: priced('{{input.price}}') })] },
        { id: 'gone', slug: 'gone', steps: [{ id: 'd', type: 'delete', collection: 'stalls', key: '{{input.k}}' }] },
        { id: 'cheap', slug: 'cheap', steps: [{ id: 'cheap', ...cheap }, pluck], response: found },
        {
          id: 'open',
          slug: 'open',
          steps: [write('w', { key: 'own', ops: priced(1) }), { id: 'cheap', ...cheap }, pluck],
          response: found,
        },
        { id: 'stock', slug: 'stock', steps: [{ id: 'f', type: 'foreach', from: 'input.keys', item: 'k', body: [stock] }] },
      ];
      await ok(game().manage('POST', game().definitions('endpoints'), { body: list }));
      expect(await bodyOf(at('cheap'))).toEqual({ prices: [] });
      for (const [k, price] of [
        ['b', 4],
        ['a', 3],
        ['c', 12],
      ]) {
        await ok(at('put', {}, { k, price }));
      }
      expect(await bodyOf(at('cheap'))).toEqual({ prices: [3, 4] });
      expect(await bodyOf(at('open'))).toEqual({ prices: [3, 4, 1] });
      expect(await bodyOf(at('cheap'))).toEqual({ prices: [3, 4, 1] });
      await ok(at('gone', {}, { k: 'a' }));
      expect(await bodyOf(at('cheap', {}, { below: 100 }))).toEqual({ prices: [4, 12, 1] });
    });

    test('fifty calls that look and write at once see each other', async () => {
      const next = {
        id: 'next-number',
        slug: 'next-number',
        steps: [
          { id: 'all', type: 'filter', collection: 'numbers', where: { field: 'n', op: 'exists' } },
          { id: 'n', type: 'transform', expression: 'count(all) + 1' },
          { id: 'w', type: 'write', collection: 'numbers', key: 'n-{{n}}', ops: [{ op: 'inc', path: 'n', value: 1 }] },
        ],
        response: { body: { n: '{{n}}' } },
      };
      await ok(
        game().manage('POST', game().definitions('collections'), { body: [{ id: 'numbers', name: 'numbers', collectionType: 'global' }] }),
      );
      await ok(game().manage('POST', game().definitions('endpoints'), { body: [next] }));
      const drawn = await Promise.all(Array.from({ length: 50 }, async () => (await bodyOf(at('next-number'))).n));
      expect(drawn.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    });

    test('is the same in tests and in a staged call, which leaves live alone', async () => {
      await ok(at('put', NEXT, { k: 'staged', price: 2 }));
      await ok(at('gone', NEXT, { k: 'b' }));
      expect(await bodyOf(at('cheap', NEXT))).toEqual({ prices: [1, 2] });
      expect(await bodyOf(at('cheap'))).toEqual({ prices: [4, 1] });
      const seed = { collections: { stalls: { seeded: { price: 7 } } } };
      const { body } = await ok(game().manage('POST', game().definitions('test-endpoint'), { body: { slug: 'cheap', seed } }));
      expect(body).toMatchObject({ passed: true, result: { body: { prices: [4, 1, 7] } } });
    });

    test('refuses a collection of more than a thousand documents, and nothing else of the call is done', async () => {
      const keys = Array.from({ length: 500 }, (_, index) => `k${index}`);
      await ok(at('stock', {}, { keys }));
      expect((await bodyOf(at('open', {}, { below: 100 }))).prices).toHaveLength(503);
      await ok(at('stock', {}, { keys: keys.map((key) => `more-${key}`) }));
      expect(await refused(at('open'))).toBe('400 SCAN_TOO_LARGE');
    });
  });
}
