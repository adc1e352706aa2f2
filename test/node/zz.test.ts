import { test, vi } from 'vitest';
import { testDatabase } from '../support/postgres.ts';
import { savepoint, startNode, newFolder } from './support/program.ts';
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
test('x', async () => {
  const env = { DATABASE_URL: await testDatabase() };
  const time = async (...a: string[]) => { const t = performance.now(); const r = await savepoint(a, { env }); console.log(a.join(' '), Math.round(performance.now() - t), r.code, r.stderr); return r; };
  await time('migrate');
  const n = await startNode(newFolder(), { env, args: ['--no-demo', '--roles', 'api,projector'] });
  const p = JSON.parse((await time('project', 'create', 'x', '--json')).stdout);
  await time('project', 'list');
  await time('key', 'create', p.projectId);
  const m = await startNode(newFolder(), { env, args: ['--no-demo', '--roles', 'projector'] });
  await time('key', 'create', p.projectId);
  await n.stop(); await m.stop();
});
