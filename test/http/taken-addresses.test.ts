import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASES } from '../../src/contract/families.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { refuseTakenKey, takenCollection } from '../../src/domain/document/address.ts';
import { type Harness, startServer } from './harness.ts';

/** Which addresses other routes take is asked of the server itself, for every literal that its routes have. */

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const FAMILIES = ['storage', 'storage-api'] as const;
const storage = routes.filter(({ family, also = [] }) => [family, ...also].some((one) => FAMILIES.some((known) => known === one)));
const LITERALS = [...new Set(storage.flatMap(({ path }) => path.split('/').filter((part) => part !== '' && !part.startsWith(':'))))];
const WORDS = [...LITERALS, 'List', 'plain'];

/** What the use case of a request was asked for, such as `documents.read saves/p1`. */
async function reached(method: string, path: string): Promise<string> {
  server.app.calls.length = 0;
  await server.play(method, path, method === 'POST' ? { a: 1 } : undefined);
  const call = server.app.calls.at(-1);
  const at = (call?.arguments[0] ?? {}) as { collection?: string; key?: string };
  return `${call?.name} ${at.collection}/${at.key}`;
}

const USE_CASES = { GET: 'documents.read', POST: 'documents.write', DELETE: 'documents.remove' } as const;

describe('an address that another route takes', () => {
  it.each(['plain', ...LITERALS])('is refused as a document of %s, and no other is', async (collection) => {
    for (const key of WORDS) {
      const asked = FAMILIES.flatMap((family) =>
        Object.keys(USE_CASES).map((method) => [method, `${BASES[family]}/demo/${collection}/${key}`]),
      );
      const answers: boolean[] = [];
      for (const [method = '', path = ''] of asked) {
        answers.push((await reached(method, path)) === `${USE_CASES[method as keyof typeof USE_CASES]} ${collection}/${key}`);
      }
      const isRefused = takenCollection(collection) !== null || refuseTakenKey({ id: collection, type: 'per-platformid' }, key) !== null;
      expect([key, isRefused]).toEqual([key, answers.includes(false)]);
    }
  });

  it('is refused as a record of a global collection, and no other is', async () => {
    for (const key of WORDS) {
      const isRead = (await reached('GET', `${BASES.storage}/demo/feed/record/${key}`)) === `records.get feed/${key}`;
      const isDocument = refuseTakenKey({ id: 'feed', type: 'per-platformid' }, key) === null;
      expect([key, refuseTakenKey({ id: 'feed', type: 'global' }, key) === null]).toEqual([key, isRead && isDocument]);
    }
  });

  it('is none of another definition, page or player: no literal stands where their name does', () => {
    const shadowed = routes.flatMap((route) => {
      const { path, method, family } = route;
      if (path.includes(':collection')) return [];
      const rivals = routes.filter((other) => other !== route && other.method === method && other.family === family);
      const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`, 'i');
      return rivals
        .filter((other) => !other.path.includes(':collection') && pattern.test(other.path))
        .map((other) => `${path} by ${other.path}`);
    });
    expect(shadowed).toEqual([]);
  });
});
