import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOURCE_FILES } from '../../src/contract/resources/files.ts';
import { type Harness, startServer } from './harness.ts';

/** Editors fetch the schemas of source files from a node: they get what docs/schemas holds. */

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test.each(Object.keys(SOURCE_FILES))('%s.json is served to anybody', async (name) => {
  const reply = await server.send('GET', `/schemas/${name}.json`);
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual(JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/schemas', `${name}.json`), 'utf8')));
});

test('an unknown name is refused with the names that exist', async () => {
  const { status, json } = await server.send('GET', '/schemas/player.json');
  expect([status, json?.error]).toEqual([
    404,
    expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining('collection.json') }),
  ]);
});
