import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projectOf, startNode } from '../harness/node.ts';
import { quantile } from '../harness/numbers.ts';
import { expectOk, managePath, openProject, type Project, playerHeaders, storagePath } from '../harness/project.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { machine, machineText, RESULT_OPTIONS, type ResultFiles, report, resultFiles } from './report.ts';
import { positive, progress } from './terminal.ts';

/**
 * `npm run bench:live`: players follow their own document and one leaderboard while documents are written. One process plays all of them,
 * on the same machine as the node. Exit code 1 when a stream broke, a write was refused, or a change did not arrive.
 */

const USAGE = `npm run bench:live [-- options]
  --subscribers N        streams, each with its player's document and the leaderboard (10000)
  --rate N               writes a second, each to another document (100)
  --seconds N            of them (30)
  --json FILE            write the result as JSON, too
  --markdown FILE        write the table as docs/performance.md shows it, too`;

const LATE_MS = 10_000;
/** The most connections that are being opened at the same time. */
const OPENING = 100;
const FIRST_PLAYER = 76_561_198_000_100_000;
const TOP = 'query/top?limit=10';

interface Options extends ResultFiles {
  readonly subscribers: number;
  readonly rate: number;
  readonly seconds: number;
}

function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      subscribers: { type: 'string', default: '10000' },
      rate: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '30' },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  const whole = (name: 'subscribers' | 'rate' | 'seconds') => Math.round(positive(`--${name}`, values[name]));
  return {
    subscribers: whole('subscribers'),
    rate: whole('rate'),
    seconds: whole('seconds'),
    ...resultFiles(values),
  };
}

/** The streams of all players, and what arrives on them. */
class Players {
  readonly #project: Project;
  readonly #streams: ClientRequest[] = [];
  readonly #agent = new Agent({ keepAlive: false });
  /** When each write was sent, by its number, until it arrives on a stream. */
  readonly sent = new Map<number, number>();
  readonly deliveryMs: number[] = [];
  open = 0;
  broken = 0;
  boards = 0;

  constructor(project: Project) {
    this.#project = project;
  }

  async join(count: number): Promise<void> {
    for (let first = 0; first < count; first += OPENING) {
      const many = Math.min(OPENING, count - first);
      await Promise.all(Array.from({ length: many }, (_, index) => this.#joinOne(playerOf(first + index))));
      if ((first / OPENING) % 20 === 0) progress(`${first + many} streams`);
    }
  }

  leave(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** Resolves with the first value. */
  #joinOne(player: string): Promise<void> {
    const { url, projectId } = this.#project;
    const query = new URLSearchParams([
      ['topic', 'documents/players'],
      ['topic', TOP],
    ]);
    return new Promise((resolve, reject) => {
      const headers = playerHeaders(this.#project, player);
      const stream = request(`${url}/v3/live/${projectId}?${query}`, { agent: this.#agent, headers }, (reply) => {
        if (reply.statusCode !== 200) return reject(new Error(`a stream was answered ${reply.statusCode}`));
        this.open += 1;
        let rest = '';
        reply.setEncoding('latin1');
        reply.on('data', (chunk: string) => {
          resolve();
          const events = (rest + chunk).split('\n\n');
          rest = events.pop() ?? '';
          for (const event of events) this.#hear(event);
        });
        reply.once('close', () => {
          this.broken += 1;
        });
      });
      stream.on('error', reject);
      this.#streams.push(stream);
      stream.end();
    });
  }

  #hear(event: string): void {
    if (event.includes('"topic":"query/')) this.boards += 1;
    const number = Number(/"number":(\d+)/.exec(event)?.[1] ?? -1);
    const sentAt = event.includes('"topic":"documents/') ? this.sent.get(number) : undefined;
    if (sentAt === undefined) return;
    this.sent.delete(number);
    this.deliveryMs.push(performance.now() - sentAt);
  }
}

const playerOf = (index: number) => String(FIRST_PLAYER + index * 16);

async function publish(project: Project): Promise<void> {
  const { http, secretKey } = project;
  const headers = { 'x-api-key': secretKey };
  const collection = { id: 'players', name: 'players', accessMode: 'public', schema: { points: { type: 'number' } } };
  const top = {
    id: 'top',
    name: 'top',
    sources: [{ collectionId: 'players' }],
    config: { field: 'points', limit: 10, columns: ['points'] },
  };
  await expectOk('the collection', http.send('PATCH', managePath(project, 'collections'), { headers, body: collection }));
  await expectOk('the query', http.send('POST', managePath(project, 'queries'), { headers, body: [top] }));
}

/** Writes to documents one after the other, at a steady rate. Resolves to the number of refused writes. */
async function play(project: Project, players: Players, { subscribers, rate, seconds }: Options): Promise<number> {
  const began = performance.now();
  const writes: Promise<boolean>[] = [];
  for (let number = 0; number < rate * seconds; number += 1) {
    await sleep(Math.max(0, began + (number * 1000) / rate - performance.now()));
    const player = playerOf((number * 7_919) % subscribers);
    players.sent.set(number, performance.now());
    const body = { number, points: (number * 31) % 10_000, name: `player ${number}` };
    const write = project.http.send('POST', storagePath(project, `players/${player}`), { headers: playerHeaders(project, player), body });
    writes.push(
      write.then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  }
  const done = await Promise.all(writes);
  for (const until = performance.now() + LATE_MS; players.sent.size > 0 && performance.now() < until; ) await sleep(20);
  return done.filter((isDone) => !isDone).length;
}

/** Resident memory of a process in bytes. */
function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

const HEAD = [
  'streams',
  'writes a second',
  'changes that came',
  'p50 ms',
  'p99 ms',
  'longest ms',
  'boards a second',
  'KB of a stream',
  'broken',
  'missed',
];

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  const settings = {
    ROLES: 'api,projector',
    LIVE_STREAMS: String(options.subscribers),
    LIVE_STREAMS_OF_PROJECT: String(options.subscribers),
  };
  const node = await startNode(folder, { settings });
  defer(() => node.stop());
  const project = openProject(node.url, await projectOf(folder, settings));
  await publish(project);
  const players = new Players(project);
  await play(project, players, { ...options, seconds: 3 });
  players.sent.clear();
  const before = residentBytes(node.pid);
  await players.join(options.subscribers);
  await sleep(3_000);
  const taken = residentBytes(node.pid) - before;
  players.boards = 0;
  const began = performance.now();
  progress(`${options.rate} writes a second for ${options.seconds} s`);
  const refused = await play(project, players, options);
  const seconds = (performance.now() - began) / 1000;
  await conclude(players, { options, seconds, taken, refused });
  const isComplete = players.sent.size === 0 && players.broken === 0 && refused === 0;
  players.leave();
  project.http.close();
  return isComplete ? 0 : 1;
}

interface Played {
  readonly options: Options;
  readonly seconds: number;
  /** Bytes of memory that the streams took. */
  readonly taken: number;
  /** Writes that were refused. */
  readonly refused: number;
}

async function conclude({ deliveryMs, sent, broken, boards }: Players, { options, seconds, taken, refused }: Played): Promise<void> {
  const sorted = [...deliveryMs].sort((a, b) => a - b);
  const ms = [0.5, 0.99, 1].map((q) => quantile(sorted, q).toFixed(0));
  const kilobytes = (taken / options.subscribers / 1024).toFixed(0);
  const row = [
    ...[options.subscribers, options.rate, sorted.length].map(String),
    ...[...ms, (boards / seconds).toFixed(0), kilobytes, String(broken), String(sent.size + refused)],
  ];
  const on = machine();
  const result = {
    row: Object.fromEntries(HEAD.map((name, at) => [name, Number(row[at])])),
    machine: on,
    finishedAt: new Date().toISOString(),
  };
  await report(machineText(on), HEAD, [row], result, options);
}

await runBenchmark({ name: 'bench-live', usage: USAGE, readOptions, run });
