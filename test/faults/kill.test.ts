import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually, isRunning, postmasterOf } from '../node/support/program.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** kill -9 of what runs on one machine: the node, its embedded Postgres, both. The crash loop does the same for hours. */

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place?.close());

/** Whether a Postgres other than `last` serves the folder. While one starts, its lock file is missing or incomplete. */
function anotherPostmaster(data: string, last: number): boolean {
  try {
    const pid = postmasterOf(data);
    return pid > 1 && pid !== last && isRunning(pid);
  } catch {
    return false;
  }
}

test('kill -9 of the embedded Postgres: the node starts it again and goes on', async () => {
  await endure({
    name: 'embedded Postgres, kill -9',
    project: place.project,
    async inject() {
      const postmaster = postmasterOf(place.data);
      process.kill(postmaster, 'SIGKILL');
      await eventually('there is another one', async () => anotherPostmaster(place.data, postmaster));
    },
  });
});

test('kill -9 of the node: the next start takes its Postgres over', async () => {
  await endure({
    name: 'node, kill -9',
    project: place.project,
    async inject() {
      await place.node.kill();
      await place.restart();
    },
  });
});

test('kill -9 of both at once, as a power cut', async () => {
  await endure({
    name: 'node and Postgres, kill -9',
    project: place.project,
    async inject() {
      const postmaster = postmasterOf(place.data);
      const gone = place.node.kill();
      process.kill(postmaster, 'SIGKILL');
      await gone;
      await place.restart();
    },
  });
  expect(await place.verify()).toMatchObject({ code: 0 });
  expect(await place.node.stop()).toMatchObject({ code: 0 });
});
