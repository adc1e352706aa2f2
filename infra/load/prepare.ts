import { listAt, numberAt } from '../harness/json.ts';
import { type RunningNode, savepoint } from '../harness/node.ts';
import { type Credentials, expectOk, managePath, openProject, type Project, parseCredentials, secretHeaders } from '../harness/project.ts';
import { startGenerator } from './children.ts';
import type { TestBed } from './measure.ts';
import { type CaseName, DEFINITIONS, LEADERBOARD_PLAYERS, SEEDS, type SeedName, WORKLOADS } from './workloads.ts';

const SEED_CONNECTIONS = 128;
const LEADERBOARD_WAIT_MS = 60_000;

/** A new project on a running node. */
export async function newProject(node: RunningNode, name: string): Promise<Project> {
  const { code, stdout, stderr } = await savepoint('project', 'create', name, '--data', node.dataFolder, '--json');
  if (code !== 0) throw new Error(`no project: ${stderr}`);
  return openProject(node.url, parseCredentials(JSON.parse(stdout)));
}

export function credentialsOf({ projectId, publicKey, secretKey }: Project): Credentials {
  return { projectId, publicKey, secretKey };
}

/** What a small game needs that sends requests evenly, with so many documents in each collection. */
export async function prepareGame(project: Project, seeded: number): Promise<void> {
  await pushDefinitions(project);
  const generator = startGenerator();
  for (const workload of ['seed.documents', 'seed.players', 'seed.leaderboard'] as const) {
    const until = { requests: seeded };
    await generator.perform({ workload, url: project.url, project: credentialsOf(project), connections: 32, until });
  }
  generator.stop();
}

export async function pushDefinitions(project: Project): Promise<void> {
  for (const [route, method] of [
    ['collections', 'PUT'],
    ['endpoints', 'PUT'],
    ['queries', 'POST'],
  ] as const) {
    const call = { headers: secretHeaders(project), body: DEFINITIONS[route] };
    await expectOk(`${method} ${route}`, project.http.send(method, managePath(project, route), call));
  }
}

/** Writes the documents of one seed over HTTP. Resolves to documents per second. Throws unless every one was accepted. */
export async function writeSeed(
  testBed: Pick<TestBed, 'generator' | 'node' | 'credentials'>,
  project: Project,
  seed: SeedName,
): Promise<number> {
  const requests = SEEDS[seed];
  const until = { requests };
  const seen = await testBed.generator.perform({
    workload: seed,
    url: testBed.node.url,
    project: testBed.credentials,
    connections: SEED_CONNECTIONS,
    until,
  });
  const refused = Object.entries(seen.failures);
  if (refused.length > 0 || seen.latencies.length !== requests) {
    throw new Error(`${seed}: ${seen.latencies.length} of ${requests} answered, failures ${JSON.stringify(seen.failures)}`);
  }
  if (seed === 'seed.leaderboard') await leaderboardShows(project);
  return requests / seen.seconds;
}

/** The node's answer to one request of a case, which the bare handler then sends, too. */
export async function sampleAnswer(project: Project, node: RunningNode, name: CaseName): Promise<object> {
  const workload = WORKLOADS[name];
  const { path, body, player } = workload.request(project, 0);
  const headers = { ...workload.headers(project), ...(player === undefined ? {} : { 'x-platform-id': player }) };
  const sent = body === undefined ? { headers } : { headers, body: JSON.parse(body) };
  const answer = await expectOk(`${name} on ${node.url}`, project.http.send(workload.method, path, sent));
  if (typeof answer.body !== 'object' || answer.body === null) throw new Error(`${name} did not answer an object`);
  return answer.body;
}

/** Waits until the leaderboard shows every score. Scores are 1 to the number of players, each once, so the top is known. */
async function leaderboardShows(project: Project): Promise<void> {
  const deadline = performance.now() + LEADERBOARD_WAIT_MS;
  const { path } = WORKLOADS['leaderboard.read'].request(project, 0);
  for (;;) {
    const answer = await expectOk('the leaderboard', project.http.send('GET', path, { headers: secretHeaders(project) }));
    const entries = listAt(answer.body, 'entries');
    if (entries.length === 100 && entries.every((entry, index) => numberAt(entry, 'value') === LEADERBOARD_PLAYERS - index)) return;
    if (performance.now() > deadline) throw new Error(`the leaderboard does not show its players: ${JSON.stringify(entries.slice(0, 3))}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
