import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileAhead, type Pushed, validateAhead } from '../../src/app/management/compile-ahead.ts';
import { COMPILE_HERE } from '../../src/app/management/compile-tasks.ts';
import type { CompilerTask } from '../../src/app/ports/compiler.ts';
import { CompileThread, THREAD_BOUNDS } from '../../src/compose/compile-thread.ts';
import { findingsOf } from '../../src/domain/definition/findings/cached-findings.ts';
import { definitionFindings } from '../../src/domain/definition/findings/definition.ts';
import { plan } from '../../src/domain/definition/push/plan-item.ts';
import { knownByName } from '../../src/domain/definition/push/warnings.ts';
import { compileItem } from '../../src/domain/definition/source/compile.ts';
import { located, ParseBudget } from '../../src/domain/definition/source/positions.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { parseJson, stringifyJson } from '../../src/kernel/json.ts';
import { realScheduler } from '../../src/kernel/scheduler.ts';
import { EMPTY, push } from '../domain/definition/given.ts';

/** Definitions are compiled in a real thread, built as for a release except for the one file. */

const folder = mkdtempSync(join(tmpdir(), 'compile-thread-'));
const worker = pathToFileURL(join(folder, 'worker.mjs'));
const threads: CompileThread[] = [];

function thread(more: Partial<typeof THREAD_BOUNDS> = {}, file = worker): CompileThread {
  const opened = new CompileThread(file, realScheduler, { ...THREAD_BOUNDS, ...more });
  threads.push(opened);
  return opened;
}

beforeAll(async () => {
  const ssr = join(import.meta.dirname, '../../src/compose/compile-worker.ts');
  const output = { entryFileNames: 'worker.mjs' };
  const bundled = { ssr, outDir: folder, emptyOutDir: false, minify: false, rollupOptions: { output } };
  await build({ configFile: false, logLevel: 'silent', build: bundled, ssr: { noExternal: true } });
}, 60_000);

afterAll(async () => {
  await Promise.all(threads.map((each) => each.close()));
  rmSync(folder, { recursive: true, force: true });
});

const CHECK = `    check: { field: 'purse.gold|0', op: '>=', value: '{{input.n}}' }
    routes: { false: { action: reject, status: 409, error: TOO_POOR, message: 'Need {{input.n}}.' } }`;

function source(steps: number, more = ''): JsonObject {
  const list = Array.from({ length: steps }, (_, index) => `  - id: s${index}\n    type: condition\n${CHECK}`).join('\n');
  const sourceText = `sourceVersion: 1\nkind: endpoint\nid: big\nbig: 12345678901234567890123\nsteps:\n${list}\n${more}`;
  return { kind: 'endpoint', sourceFormat: 'yaml', sourcePath: 'big.endpoint.yml', sourceText };
}

const task = (item: JsonObject): CompilerTask => ({ kind: 'compile', of: 'endpoint', text: stringifyJson(item), known: '{}' });
const around = (compiler: CompileThread) => ({ scheduler: realScheduler, compiler });

test('the thread compiles exactly what this process would, digits and order included, while other work goes on', async () => {
  const items: Pushed[] = [
    [source(1200), 'endpoint'],
    [{ ...source(100), sourceText: `steps: [${'x'.repeat(3000)}` }, 'endpoint'],
  ];
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await compileAhead(around(thread()), 'p', items);
  isDone = true;
  expect(turns).toBeGreaterThan(20);
  for (const [item, kind] of items) {
    const apart = compileItem(item, kind);
    const here = compileItem({ ...Object(item) }, kind);
    expect(apart).toEqual(here);
    if (apart.ok && here.ok) expect(stringifyJson(apart.definition)).toBe(stringifyJson(here.definition));
  }
});

test('findings of large definitions equal those of this process, whatever they refer to', async () => {
  const library = { id: 'economy', name: 'economy', blocks: { price: { params: { level: {} }, steps: [{ id: 'r', type: 'return' }] } } };
  const state = push(EMPTY, 'library', [library]);
  const item = source(
    100,
    `  - { id: read, type: read, collection: nowhere }
  - { id: call, type: call, target: economy.price, params: { levle: 1 } }
  - { id: other, type: call, target: economy.none }
  - { id: flow, type: workflow, workflow: gone }
`,
  );
  const items: Pushed[] = [[item, 'endpoint']];
  const compiler = thread();
  await compileAhead(around(compiler), 'p', items);
  await validateAhead(around(compiler), 'p', items, { state, target: 'live' });
  const fit = plan(state, 'endpoint', item, 'live', 0);
  if (!fit.ok) throw new Error(fit.problem.message);
  const known = knownByName(state, 'live', new Map([['endpoint', [fit]]]));
  const found = findingsOf('endpoint', fit.definition, known);
  const here = located('endpoint', fit.definition, definitionFindings('endpoint', fit.definition, known), new ParseBudget(1e9));
  expect(found).toEqual(here);
  expect(found.map(({ pointer, line }) => pointer !== '' && line === undefined)).not.toContain(true);
  expect(found.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['COLLECTION_NOT_FOUND', 'UNKNOWN_PARAM', 'BLOCK_NOT_FOUND', 'WORKFLOW_NOT_FOUND']),
  );
  expect(findingsOf('endpoint', fit.definition, known)).toBe(found);
});

test('libraries that a large definition imports stay here: only the params of blocks that it calls are sent', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `library_${index}`);
  const block = { params: { level: {} }, steps: [{ id: 'r', type: 'return', message: 'x'.repeat(4_000) }] };
  const state = push(
    EMPTY,
    'library',
    names.map((id) => ({ id, name: id, blocks: { price: block } })),
  );
  const item = source(100, `  - { id: call, type: call, target: library_7.price, params: { levle: 1 } }\nimports: [${names.join(', ')}]\n`);
  const told: CompilerTask[] = [];
  const compiler = {
    run(id: string, task: CompilerTask) {
      told.push(task);
      return COMPILE_HERE.run(id, task);
    },
  };
  const items: Pushed[] = [[item, 'endpoint']];
  await compileAhead({ scheduler: realScheduler, compiler }, 'p', items);
  await validateAhead({ scheduler: realScheduler, compiler }, 'p', items, { state, target: 'live' });
  const judging = told.filter(({ kind }) => kind === 'validate');
  expect(Object(parseJson(judging.at(-1)?.known ?? ''))['block library_7.price']).toEqual({ level: {} });
  expect(Math.max(...judging.map(({ known }) => known.length))).toBeLessThan(4_000);
  const fit = plan(state, 'endpoint', item, 'live', 0);
  if (!fit.ok) throw new Error(fit.problem.message);
  const found = findingsOf('endpoint', fit.definition, knownByName(state, 'live', new Map([['endpoint', [fit]]])));
  expect(found.map(({ code }) => code)).toContain('UNKNOWN_PARAM');
});

describe('a thread', () => {
  test('that takes too long is ended with its task; the next task has another thread', async () => {
    const stuck = join(folder, 'stuck.mjs');
    const answer = `if (task.of === 'endless') for (;;); parentPort.postMessage({ number, answer: task.of });`;
    writeFileSync(
      stuck,
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', ({ number, task }) => { ${answer} });`,
    );
    const compiler = thread({ taskMs: 2000 }, pathToFileURL(stuck));
    const run = (of: string) => compiler.run('p', { kind: 'compile', of, text: '', known: '' });
    expect(await run('first')).toBe('first');
    await expect(run('endless')).rejects.toMatchObject({ status: 400, code: 'COMPILE_LIMIT' });
    expect(await run('next')).toBe('next');
  });

  test('that takes too much memory is ended with its task', async () => {
    const compiler = thread({ memoryMb: 24 });
    await expect(compiler.run('p', task(source(12_000)))).rejects.toMatchObject({ status: 400, code: 'COMPILE_LIMIT' });
  });

  test('that crashes fails its task, and nothing else', async () => {
    const broken = join(folder, 'broken.mjs');
    writeFileSync(
      broken,
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error('broken'); });`,
    );
    const compiler = thread({}, pathToFileURL(broken));
    await expect(compiler.run('p', task(source(1)))).rejects.toMatchObject({ status: 500, code: 'COMPILER_FAILED' });
    await expect(compiler.run('p', task(source(1)))).rejects.toMatchObject({ code: 'COMPILER_FAILED' });
  });

  test('takes the tasks of projects in turn, with a bound for each project', async () => {
    const compiler = thread({ waiting: 2 });
    const done: string[] = [];
    const run = (project: string, name: string) => compiler.run(project, task(source(50))).then(() => done.push(name));
    const running = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')];
    await expect(run('a', 'a4')).rejects.toMatchObject({ status: 503, code: 'BUSY' });
    await Promise.all(running);
    expect(done.indexOf('b1')).toBeLessThan(done.indexOf('a3'));
    expect(done[0]).toBe('a1');
  });

  test('that is closed refuses waiting tasks', async () => {
    const compiler = thread();
    const ended = Promise.allSettled([compiler.run('p', task(source(400))), compiler.run('p', task(source(400)))]);
    await compiler.close();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
