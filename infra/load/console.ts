import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isReady, type RunningNode, startNode } from '../harness/node.ts';
import { freePort } from '../harness/port.ts';
import { openProject } from '../harness/project.ts';
import { markdownTable, table } from '../harness/table.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { startBareServer, startGenerator, startOpenLoop } from './children.ts';
import { browserWithCaches, signIn } from './chromium.ts';
import { BESIDE_CASES, CONNECTIONS, type Lengths, measureBeside, measureEven, PER_SECOND, type Turn } from './console-beside.ts';
import { type Filled, fill, filledIn, importDocuments, SETTINGS, type Sizes } from './console-data.ts';
import { linkTo, tenConsoles } from './console-open.ts';
import { type ConsolePage, PAGE_NAMES, pagesOf } from './console-pages.ts';
import { countReadThrough, READ_BAR, type ReadThrough } from './console-scans.ts';
import { BAR_MS, BESIDE_HEAD, besideRows, over, type PageResult, pageHead, pageRows } from './console-table.ts';
import { COLD, type Visit, type Visitor, visit, WARM_VISITS, type Way, warmUpPages } from './console-visits.ts';
import { type TestBed, untilResting, warmUp } from './measure.ts';
import { prepareGame, sampleAnswer } from './prepare.ts';
import { cpuSeconds, findPostmaster } from './processes.ts';
import { type Machine, machine, machineText, RESULT_OPTIONS, type ResultFiles, resultFiles } from './report.ts';
import { positive, print, progress } from './terminal.ts';
import { KEYS } from './workloads.ts';

/**
 * `npm run bench:console`: how long pages of the console take with much data, and what ten open consoles cost a game. Exit code 1 when a
 * page did not come, or an answer to the game was not 2xx. A missed bar is only reported.
 */

/** The part that is not of pages. */
const TEN = 'ten consoles';
const NAMES = [...PAGE_NAMES, TEN];

const USAGE = `npm run bench:console [-- options]
  --only TEXT            pages whose name holds this, or "${TEN}"; may be given several times
  --documents N          in one collection (200000)
  --entries N            in the ledger of one player (50000)
  --rows N               of a table of game values (20000)
  --rounds N             how often each page is opened in each way (3)
  --cold                 by its address with an emptied cache of the browser, too
  --turns N              of no console, what ten of them ask for, and ten consoles (4)
  --seconds N            of one slice of writes or calls (2)
  --data DIR             keep the data folder there, and find it there the next time
  --json FILE            write the result as JSON, too
  --markdown FILE        write the tables as docs/performance.md shows them, too`;

/** The small game is measured for so many slices. */
const EVEN_SLICES = 4;

interface Options extends ResultFiles {
  readonly only: readonly string[];
  readonly sizes: Sizes;
  readonly rounds: number;
  readonly ways: readonly Way[];
  readonly lengths: Lengths;
  readonly data: string | null;
}

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [''] },
      documents: { type: 'string', default: '200000' },
      entries: { type: 'string', default: '50000' },
      rows: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
      cold: { type: 'boolean', default: false },
      turns: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '2' },
      data: { type: 'string' },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  const unknown = values.only.find((part) => !NAMES.some((name) => name.includes(part)));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: there is ${NAMES.join(', ')}`);
  const whole = (name: 'documents' | 'entries' | 'rows' | 'rounds' | 'turns') => Math.round(positive(`--${name}`, values[name]));
  const seconds = positive('--seconds', values.seconds);
  return {
    only: values.only,
    sizes: { documents: whole('documents'), entries: whole('entries'), rows: whole('rows') },
    rounds: whole('rounds'),
    ways: ['by a link', 'by its address', ...(values.cold ? [COLD] : [])],
    lengths: { turns: whole('turns'), seconds, evenSeconds: EVEN_SLICES * seconds },
    data: values.data ?? null,
    ...resultFiles(values),
  };
}

async function run(options: Options, benchRun: BenchRun): Promise<number> {
  const data = options.data ?? join(benchRun.folder, 'node');
  const found = await filledIn(data, options.sizes);
  const credentials = found?.credentials ?? (await importDocuments(data, options.sizes.documents));
  const settings = { ...SETTINGS, CONSOLE_LISTEN: `127.0.0.1:${await freePort()}` };
  const node = await startNode(data, { settings });
  benchRun.defer(() => node.stop());
  const link = () => linkTo(data, settings);
  try {
    const filled = found ?? (await fill(node, credentials, options.sizes));
    await rested(node);
    const isAsked = (name: string) => options.only.some((part) => name.includes(part));
    const shown = pagesOf(filled).filter(({ name }) => isAsked(name));
    const pages = shown.length === 0 ? null : await measurePages({ node, filled, link }, shown, options, benchRun);
    const turns = isAsked(TEN) ? await measureTen({ node, filled, link }, options.lengths, benchRun) : null;
    return await conclude({ pages, turns, sizes: options.sizes, machine: machine(), finishedAt: new Date().toISOString() }, options);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${node.output()}`);
  }
}

interface At {
  readonly node: RunningNode;
  readonly filled: Filled;
  /** Makes a link to sign in. */
  readonly link: () => Promise<string>;
}

/** Waits until the node has read all of its log, and does nothing more. */
async function rested(node: RunningNode): Promise<void> {
  progress('until the node rests');
  while (!(await isReady(node.url))) await sleep(200);
  await untilResting(() => cpuSeconds(node.pid));
}

interface Pages {
  readonly results: readonly PageResult[];
  /** Pages that did not come, and why. */
  readonly failed: readonly string[];
  readonly readThrough: ReadThrough;
  readonly views: number;
}

async function measurePages(
  { node, filled, link }: At,
  pages: readonly ConsolePage[],
  { rounds, ways }: Options,
  { folder, defer }: BenchRun,
): Promise<Pages> {
  const profile = await browserWithCaches(join(folder, 'profile'));
  defer(() => profile.close());
  const entrance = await link();
  await (await signIn(profile, entrance)).close();
  const visitor: Visitor = { profile, node, home: `${new URL(entrance).origin}/p/${filled.credentials.projectId}` };
  const counted = await countReadThrough(node.dataFolder, defer);
  progress(`warming up ${pages.length} pages`);
  await warmUpPages(visitor, pages);
  const visits = new Map<string, Visit[]>();
  const failed: string[] = [];
  // What is compiled goes with the cache, so whatever is asked without it comes last.
  for (const some of [ways.filter((way) => way !== COLD), ways.filter((way) => way === COLD)]) {
    for (let round = 0; some.length > 0 && round < rounds; round += 1) {
      progress(`${some.join(' and ')}, round ${round + 1} of ${rounds}`);
      for (const page of pages) {
        for (const way of some) {
          const key = `${page.name} ${way}`;
          await visit(visitor, page, way).then(
            (made) => visits.set(key, [...(visits.get(key) ?? []), made]),
            (error: unknown) => failed.push(`${key}: ${error instanceof Error ? error.message : String(error)}`),
          );
        }
      }
    }
  }
  const results = pages.map(({ name }) => ({
    name,
    visits: Object.fromEntries(ways.map((way) => [way, visits.get(`${name} ${way}`) ?? []])),
  }));
  await profile.close();
  return { results, failed, readThrough: await counted.end(), views: pages.length * (WARM_VISITS + ways.length * rounds) };
}

async function measureTen({ node, filled, link }: At, lengths: Lengths, { defer }: BenchRun): Promise<readonly Turn[]> {
  const project = openProject(node.url, filled.game);
  const [bare, generator, openLoop] = [await startBareServer(), startGenerator(), startOpenLoop()];
  for (const helper of [bare, generator, openLoop]) defer(() => helper.stop());
  const postmaster = await findPostmaster(node.dataFolder);
  const testBed: TestBed = { credentials: filled.game, node, postmaster, logServer: null, bare, generator };
  progress('a game');
  await prepareGame(project, KEYS);
  const answers: object[] = [];
  for (const name of BESIDE_CASES) {
    answers.push(await sampleAnswer(project, node, name));
    progress(`${name}, warming up`);
    await warmUp(testBed, name, CONNECTIONS, { count: 1, seconds: lengths.seconds });
  }
  project.http.close();
  await measureEven({ testBed, openLoop }, lengths.evenSeconds);
  progress('ten consoles, to see what they ask for');
  const consoles = await tenConsoles(filled.game, link, defer);
  return measureBeside({ testBed, openLoop, consoles, answers }, lengths);
}

interface Result {
  readonly pages: Pages | null;
  readonly turns: readonly Turn[] | null;
  readonly sizes: Sizes;
  readonly machine: Machine;
  readonly finishedAt: string;
}

async function conclude(result: Result, { ways, rounds, lengths, jsonFile, markdownFile }: Options): Promise<number> {
  const { pages, turns, sizes } = result;
  const tables: string[] = [];
  const show = (title: string, head: readonly string[], rows: readonly (readonly string[])[]) => {
    print(`\n${title}\n`);
    print(table(head, rows));
    tables.push(`${markdownTable(head, rows)}\n`);
  };
  print(`\n${machineText(result.machine)}`);
  if (pages !== null) {
    const of = `${sizes.documents} documents, ${sizes.entries} ledger entries, ${sizes.rows} rows`;
    show(`pages with ${of}; the least, the middle and the most of ${rounds}`, pageHead(ways), pageRows(pages.results, ways));
    const missed = over(pages.results);
    print(missed.length === 0 ? `\nevery page within ${BAR_MS} ms` : `\nMISSED ${BAR_MS} ms: ${missed.join(', ')}`);
    print(readThroughText(pages));
    for (const failed of pages.failed) print(`FAILED ${failed}`);
  }
  const problems = [...(pages?.failed ?? []), ...(turns ?? []).flatMap(problemsOf)];
  if (turns !== null) {
    const load = `${CONNECTIONS} connections, and a small game of ${PER_SECOND} requests a second`;
    show(`${load}; the least, the middle and the most of ${lengths.turns} turns`, BESIDE_HEAD, besideRows(turns));
    for (const problem of turns.flatMap(problemsOf)) print(`FAILED ${problem}`);
  }
  if (jsonFile !== null) await writeFile(jsonFile, `${JSON.stringify(result, null, 2)}\n`);
  if (markdownFile !== null) await writeFile(markdownFile, tables.join('\n'));
  return problems.length > 0 ? 1 : 0;
}

/** Tables that are named. */
const TOLD = 3;

function readThroughText({ readThrough, views }: Pages): string {
  const tables = Object.entries(readThrough);
  const named = tables.slice(0, TOLD).map(([name, rows]) => `${rows} of ${name}`);
  const isScan = tables.some(([, rows]) => rows > READ_BAR * views);
  return `rows that Postgres read tables through for, of ${views} views: ${named.join(', ') || 'none'}${isScan ? ', MISSED' : ''}`;
}

function problemsOf({ state, rows, even, lost }: Turn): readonly string[] {
  const failures = [...rows.map((row) => row.failures), even.failures].filter((each) => Object.keys(each).length > 0);
  return [...failures.map((each) => `${state}: ${JSON.stringify(each)}`), ...(lost === null ? [] : [`${state}: ${lost}`])];
}

await runBenchmark({ name: 'bench-console', usage: USAGE, readOptions, run });
