import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const [ADA, BO, CY] = ['76561198000000001', '76561198000000002', '76561198000000003'] as const;
const RICHEST = {
  id: 'richest',
  name: 'Richest',
  type: 'leaderboard',
  sources: [{ collectionId: 'purses' }],
  config: { field: 'gold', columns: ['name'] },
};
const DEEPEST = { ...RICHEST, id: 'deepest', name: 'Deepest', config: { field: 'debt' } };
const REACHABLE = { ...RICHEST, id: 'reachable', name: 'Reachable', config: { field: 'gold', columns: ['name', 'email'] } };

const started = useConsole(async ({ manager }) => {
  await ok(
    manager.manage('PUT', manager.definitions('collections'), {
      body: [
        {
          id: 'purses',
          schema: { gold: { type: 'number' }, email: { type: 'string', _personal: true }, debt: { type: 'number', _personal: true } },
        },
      ],
    }),
  );
  await ok(manager.manage('POST', manager.definitions('queries'), { body: [RICHEST, REACHABLE, DEEPEST] }));
  const write = (key: string, name: string, gold: number) =>
    ok(manager.manage('POST', manager.storage(`purses/${key}`), { body: { name, gold, email: `${name}@example.com`, debt: gold } }));
  await write(ADA, 'Ada', 50);
  await write(CY, 'Cy', 90);
  await write(BO, 'Bo', 50);
  await write(BO, 'Bobo', 50);
});

inBrowser('support reads why a player stands behind another with the same value', async () => {
  const { page, origin, project, faults } = started();
  await page.goto(`${origin}/p/${project}/players/${BO}`);
  await page.getByRole('link', { name: 'Richest' }).click();
  await page
    .getByRole('row', { name: `3 ${BO} 50` })
    .first()
    .waitFor();
  expect(new URL(page.url()).searchParams.get('player')).toBe(BO);
  await page.goto(`${origin}/p/${project}/boards`);
  await page.getByRole('link', { name: 'Richest' }).click();
  await page
    .getByRole('row', { name: `1 ${CY} 90 Cy` })
    .first()
    .waitFor();
  await page.getByLabel('Around a player or key').fill(BO);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('link', { name: `Why ${BO} is number 3` }).click();
  await heading(page, `Why ${BO} stands there`);
  await page.getByText(`${ADA} stands above it, as number 2, with the same value: ${ADA} came to it earlier`).waitFor();
  await page.getByText(/wrote purses\/.* and set it/).waitFor();
  expect(new URL(page.url()).searchParams.get('why')).toBe(BO);
  await expectOpenToAll(started(), ['/boards', `/boards/richest?why=${BO}`]);
  expect(faults).toEqual([]);
});

inBrowser('a board with a personal column is shown for a reason, which goes with its requests', async () => {
  const { page, origin, project } = started();
  await page.goto(`${origin}/p/${project}/boards/reachable`);
  await page.getByText('This shows personal values').waitFor();
  await page.getByRole('button', { name: 'Show personal values' }).click();
  await page.getByLabel('Reason').fill('A prize is to be sent');
  await page.getByRole('button', { name: 'Show them' }).click();
  await page.getByText('Cy@example.com').waitFor();
  await page.getByRole('button', { name: 'Hide personal values' }).click();
  await page.getByText('This shows personal values').waitFor();
});

inBrowser('the reason that is given for a board shows who set the value of a row, too', async () => {
  const { page, origin, project, faults } = started();
  await page.goto(`${origin}/p/${project}/boards/deepest?why=${ADA}`);
  await page.getByText('This shows personal values').waitFor();
  // One notice, and no card beside that says the same.
  expect([await page.getByRole('alert').count(), await page.getByText(`Why ${ADA} stands there`).count()]).toEqual([1, 0]);
  await page.getByRole('button', { name: 'Show personal values' }).click();
  await page.getByLabel('Reason').fill('Asks why');
  await page.getByRole('button', { name: 'Show them' }).click();
  await heading(page, `Why ${ADA} stands there`);
  await page.getByText(/wrote purses\/.* and set it/).waitFor();
  expect(faults).toEqual([]);
});
