import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listAt, numberAt, textAt } from '../harness/json.ts';
import { demoCredentials, type RunningNode, savepoint, savepointAsCaller, startNode } from '../harness/node.ts';
import { seededRandom } from '../harness/numbers.ts';
import { type Credentials, expectOk, managePath, openProject, type Project, parseCredentials, secretHeaders } from '../harness/project.ts';
import {
  auditEconomy,
  auditLeaderboard,
  auditMarket,
  auditPlayers,
  auditTests,
  type Check,
  readEconomy,
  readLeaderboard,
  readLedger,
  readMarket,
} from './audit.ts';
import { newPlayer, type Player, play, type Rules } from './player.ts';
import { gameIds, pushGame } from './push.ts';
import { printReport, type Report, startProgress } from './report.ts';
import { stagePrices } from './staging.ts';
import { createTally, type Throughput } from './tally.ts';

/**
 * `npm run demo`: publishes the example game to a node, plays it with simulated players, and then checks all balances. Exit code 0 only if
 * every check passed.
 */

interface Options {
  readonly url: string | null;
  readonly dataFolder: string | null;
  readonly credentials: Credentials | null;
  readonly seconds: number;
  readonly players: number;
  readonly overwrite: boolean;
  readonly json: boolean;
  /** Findings in the game's definitions count as failures. */
  readonly strict: boolean;
}

const USAGE = `npm run demo [-- options]
  --url URL        a running node; without it, one is started on a temporary folder and removed afterwards
  --data DIR       the data folder of that node: the game gets a project of its own there, and the log is verified at the end
  --project ID --public-key KEY --secret-key KEY    the project to play in; one that holds other definitions needs --overwrite
  --overwrite      publish the game also over definitions of another
  --no-strict      push the game also where the server finds something in it
  --seconds N      how long to play (8)      --players N   how many at once (200)      --json   print the report as JSON`;

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      url: text,
      data: text,
      project: text,
      'public-key': text,
      'secret-key': text,
      seconds: { type: 'string', default: '8' },
      players: { type: 'string', default: '200' },
      overwrite: { type: 'boolean', default: false },
      'no-strict': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const keys = { projectId: values.project, publicKey: values['public-key'], secretKey: values['secret-key'] };
  const credentials = values.project === undefined ? null : parseCredentials(keys);
  const options = {
    url: values.url?.replace(/\/+$/, '') ?? null,
    dataFolder: values.data ?? null,
    credentials,
    seconds: positive('--seconds', values.seconds),
    players: positive('--players', values.players),
    overwrite: values.overwrite,
    strict: !values['no-strict'],
    json: values.json,
  };
  if (options.url !== null && options.dataFolder === null && credentials === null)
    throw new Error('--url needs --data, or a project and its keys');
  return options;
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} must be a positive number`);
  return number;
}

async function main(): Promise<boolean> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(`${USAGE}\n`);
    return true;
  }
  if (options.url !== null) return demonstrate(await credentialsFor(options), options.url, options.dataFolder, options);
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-demo-'));
  let node: RunningNode | undefined;
  const clean = async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  onInterrupt(clean);
  try {
    say('starting a node on a temporary folder');
    node = await startNode(folder);
    return await demonstrate(demoCredentials(folder), node.url, folder, options);
  } finally {
    await clean();
  }
}

async function credentialsFor(options: Options): Promise<Credentials> {
  if (options.credentials !== null) return options.credentials;
  return ownProject(options.dataFolder ?? '.');
}

/** The example game's own project in an installation. It is created once; its keys are stored beside those of the demo project. */
async function ownProject(dataFolder: string): Promise<Credentials> {
  const file = join(dataFolder, 'example-game.json');
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept !== null) return parseCredentials(JSON.parse(kept));
  const { code, stdout, stderr } = await savepointAsCaller(dataFolder, 'project', 'create', 'Example game', '--json');
  if (code !== 0) throw new Error(`no project for the example game: ${(stderr || stdout).trim()}`);
  await writeFile(file, stdout, { mode: 0o600 });
  say(`a project of its own was made for the example game; its keys are in ${file}`);
  return parseCredentials(JSON.parse(stdout));
}

/** Refuses to replace another game: publishing overwrites definitions with the same id, and all game values and rules. */
async function refuseToReplace(project: Project): Promise<void> {
  const ours = new Set(await gameIds());
  for (const route of ['collections', 'endpoints']) {
    const { body } = await expectOk(
      `GET ${route}`,
      project.http.send('GET', managePath(project, route), { headers: secretHeaders(project) }),
    );
    const others = listAt(body, 'data')
      .map((item) => textAt(item, 'id') ?? '')
      .filter((id) => !ours.has(id));
    if (others.length === 0) continue;
    throw new Error(
      `project ${project.projectId} holds ${route} of another game (${others.slice(0, 3).join(', ')}); publishing the example game there would ` +
        'replace its game values and rules. Give it a project of its own (`savepoint project create NAME`), or --overwrite',
    );
  }
}

async function demonstrate(credentials: Credentials, url: string, dataFolder: string | null, options: Options): Promise<boolean> {
  const project = openProject(url, credentials);
  try {
    if (!options.overwrite) await refuseToReplace(project);
    say(`project ${project.projectId} at ${url}: ${await pushGame(project, options.strict)} definitions pushed`);
    const rules = await loadRules(project);
    const marketBefore = await readMarket(project);
    const economyBefore = await readEconomy(project);
    const players = Array.from({ length: Math.ceil(options.players) }, (_, index) => newPlayer(playerId(index), `Settler ${index + 1}`));
    const throughput = await playAll(project, players, rules, options.seconds);

    const checks: Check[] = [
      { name: 'no call failed', problems: Object.entries(throughput.errors).map(([code, count]) => `${code}: ${count}`) },
    ];
    checks.push(await auditTests(project));
    checks.push(...(await auditPlayers(project, players)));
    checks.push(auditMarket(marketBefore, await readMarket(project), players));
    const economy = await readEconomy(project);
    checks.push(auditEconomy(economyBefore, economy, players));
    const leaderboard = await readLeaderboard(project);
    checks.push(auditLeaderboard(leaderboard, players));
    const best = players.reduce((first, player) => (player.gold > first.gold ? player : first));
    const ledger = { player: best, lines: await readLedger(project, best.id) };
    const staging = await stagePrices(project, rules.prices, playerId(players.length), playerId(players.length + 1));
    checks.push(staging.check);
    const verified = await verify(dataFolder, options.url === null, checks);

    const report: Report = { url, projectId: project.projectId, throughput, leaderboard, ledger, economy, staging, checks, verified };
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else printReport(report);
    return conclude(checks);
  } finally {
    project.http.close();
  }
}

/** The game values that every client loads at its start. Here they also tell the players what things cost. */
async function loadRules(project: Project): Promise<Rules> {
  const path = `/v3/values/${project.projectId}?apiKey=${project.publicKey}`;
  const { body } = await expectOk('the game values', project.http.send('GET', path, { headers: { 'x-public-key': project.publicKey } }));
  return {
    purse: numberAt(body, 'groups.start.values.gold'),
    prices: listAt(body, 'tables.axes.rows').map((row) => numberAt(row, 'price')),
  };
}

async function playAll(project: Project, players: readonly Player[], rules: Rules, seconds: number): Promise<Throughput> {
  const tally = createTally();
  const started = performance.now();
  const stopProgress = startProgress(() => tally.calls, seconds);
  const over = () => performance.now() - started > seconds * 1000;
  await Promise.all(players.map((player, index) => play(project, player, rules, seededRandom(index + 1), tally, over)));
  stopProgress();
  return tally.throughput((performance.now() - started) / 1000);
}

/** Runs `savepoint verify`, which replays the log against the tables, and returns its output. */
async function verify(dataFolder: string | null, isOwnNode: boolean, checks: Check[]): Promise<string | null> {
  if (dataFolder === null) return null;
  say('verifying the log against the tables');
  const { code, stdout, stderr } = await (isOwnNode
    ? savepoint('verify', '--data', dataFolder, '--json')
    : savepointAsCaller(dataFolder, 'verify', '--json'));
  const problems = code === 0 ? [] : [`exit code ${code}: ${(stderr || stdout).trim().slice(0, 800)}`];
  checks.push({ name: 'savepoint verify finds the log whole and every table true to it', problems });
  return stdout.trim();
}

function conclude(checks: readonly Check[]): boolean {
  const failed = checks.filter((check) => check.problems.length > 0);
  if (failed.length === 0) say('everything held');
  else say(`FAILED: ${failed.map((check) => check.name).join('; ')}`);
  return failed.length === 0;
}

/** Ids in the form of the published platform's. They are new in every run, so that a run can be repeated on one project. */
const runMark = String(Date.now() % 1_000_000_000).padStart(9, '0');
function playerId(index: number): string {
  return `7${runMark}${String(index).padStart(7, '0')}`;
}

function onInterrupt(clean: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say('interrupted; cleaning up');
      void clean().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
    });
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

process.exitCode = await main().then(
  (held) => (held ? 0 : 1),
  (error: unknown) => {
    say(`demo failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  },
);
