import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { BASES, OF_PERSONS } from '../../src/contract/families.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { askConsole, type ConsoleReply } from '../support/console.ts';
import { brokenContract } from '../support/contract.ts';
import { publishGame } from './support/game.ts';
import { startNodeHere } from './support/node-here.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** U+0000 in each place of the address of every route: no table can be asked for it, and a route that did so got a 500. */

let here: Awaited<ReturnType<typeof startNodeHere>>;

beforeAll(async () => {
  here = await startNodeHere('Nothing');
  await publishGame(here.manager);
});

afterAll(async () => {
  here.manager.close();
  await here.node.close();
});

/** A stream that was opened would go on. */
const asked = routes.filter(({ family, id }) => OF_PERSONS.includes(family) && id !== 'listen');
const NOTHING = '%00';

/** The addresses of a route with nothing in one place each, and the others as in its example. */
function addressesOf({ family, path, query = {}, example = {} }: Route): readonly string[] {
  const parts = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const filled = (place: string | null) =>
    (BASES[family] + path).replace(/:(\w+)/g, (_, name: string) => {
      if (name === place) return NOTHING;
      return name === 'project' ? here.project : encodeURIComponent(String(example.params?.[name] ?? 'players'));
    });
  const queried = (more: string) => `${new URLSearchParams(example.query)}&${more}`;
  return [
    ...parts.map((name) => filled(name)),
    ...Object.keys(query).map((name) => `${filled(null)}?${queried(`${name}=${NOTHING}`)}`),
    ...(Object.hasOwn(query, 'cursor') ? [`${filled(null)}?${queried('cursor=%5B%22a%22%2C%22b%22%5D')}`] : []),
  ];
}

async function ask({ method, example }: Route, address: string): Promise<ConsoleReply> {
  const { origin } = here.console;
  const headers = { Cookie: here.owner.cookie, Origin: origin, 'X-Console-Csrf': here.owner.csrf };
  const at = { origin, port: Number(new URL(origin).port) };
  const reply = await askConsole(at, method, address, headers, method === 'GET' ? undefined : example?.body);
  expect(brokenContract(method, address, reply)).toBeNull();
  return reply;
}

test('is refused by every route, as the contract says, and breaks none', async () => {
  expect(asked.length).toBeGreaterThan(100);
  const broken: string[] = [];
  for (const route of asked) {
    for (const address of addressesOf(route)) {
      const { status, text } = await ask(route, address);
      if (status >= 500) broken.push(`${route.method} ${address}: ${status} ${text}`);
    }
  }
  expect(broken).toEqual([]);
});
