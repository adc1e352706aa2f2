import type { Cluster } from '../cluster/cluster.ts';
import { runProgram } from '../harness/node.ts';
import { type Credentials, expectOk, managePath, openProject, parseCredentials, secretHeaders } from '../harness/project.ts';
import type { Generator } from './children.ts';
import type { Job } from './generator.ts';
import { merge, untilResting } from './measure.ts';
import { pushDefinitions } from './prepare.ts';
import { cpuSeconds, familyCpuSeconds } from './processes.ts';

/**
 * What it costs when several nodes write to one project. The same writes go to one node, to three nodes that all have the project open, and
 * through the load balancer.
 */

/** Where the clients send their requests. */
type Route = 'one node' | 'balancer' | 'all nodes';

export interface Arrangement {
  readonly route: Route;
  readonly projects: number;
}

/**
 * Each arrangement has projects of its own, because two nodes that have the same project open slow each other. All nodes together are
 * measured first: a node that was measured alone before would be ahead of the others, because its code is already compiled.
 */
export const ARRANGEMENTS: readonly Arrangement[] = [
  { route: 'all nodes', projects: 1 },
  { route: 'all nodes', projects: 6 },
  { route: 'balancer', projects: 1 },
  { route: 'balancer', projects: 6 },
  { route: 'one node', projects: 1 },
  { route: 'one node', projects: 6 },
];

export interface Contention extends Arrangement {
  readonly connections: number;
  /** Acknowledged writes per second. */
  readonly writesPerSecond: number;
  /** Commits per second that each node stored. */
  readonly perNode: readonly number[];
  /** The commits of the slowest node as a share of all, where all nodes take part. A third is fair for three. */
  readonly leastShare: number | null;
  /** Appends that conflicted with another node's. */
  readonly conflicts: number;
  /** Commits in one append, on average. */
  readonly groupSize: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 2xx, by status. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

const WARM_UP_SECONDS = 2;

/** Makes the projects of one arrangement, warms up, and measures. */
export async function contend(cluster: Cluster, generator: Generator, arrangement: Arrangement, load: Load): Promise<Contention> {
  const projects = await makeProjects(cluster, arrangement);
  const jobs = jobsOf(cluster, arrangement.route, projects, load.connections);
  await generator.performAll(jobs.map((job) => ({ ...job, until: { seconds: WARM_UP_SECONDS } })));
  await untilResting(() => usedBy(cluster));
  const before = await countersOf(cluster);
  const seen = await generator.performAll(jobs.map((job) => ({ ...job, until: { seconds: load.seconds } })));
  const after = await countersOf(cluster);
  await untilResting(() => usedBy(cluster));

  const all = merge(seen);
  const seconds = Math.max(...seen.map((one) => one.seconds));
  const commits = after.map((counters, index) => counters.commits - (before[index]?.commits ?? 0));
  const sum = (values: readonly number[]) => values.reduce((one, other) => one + other, 0);
  const difference = (name: keyof Counters) => sum(after.map((counters) => counters[name])) - sum(before.map((counters) => counters[name]));
  return {
    ...arrangement,
    connections: load.connections,
    writesPerSecond: (all.count - sum(Object.values(all.failures))) / seconds,
    perNode: commits.map((count) => count / seconds),
    leastShare: arrangement.route === 'all nodes' ? Math.min(...commits) / sum(commits) : null,
    conflicts: difference('conflicts'),
    groupSize: difference('commits') / difference('appends'),
    p50Ms: all.p50Ms,
    p99Ms: all.p99Ms,
    failures: all.failures,
  };
}

/** The jobs of the load. The connections are divided evenly, and each stays with its node and its project. */
function jobsOf({ url, nodes }: Cluster, route: Route, projects: readonly Credentials[], connections: number): Omit<Job, 'until'>[] {
  const urls = nodes.map((node) => node.url);
  const targets = { 'one node': urls.slice(0, 1), balancer: [url], 'all nodes': urls }[route];
  const each = Math.max(1, Math.round(connections / (targets.length * projects.length)));
  return projects.flatMap((project) =>
    targets.map((target) => ({ workload: 'document.write' as const, url: target, project, connections: each })),
  );
}

async function makeProjects(cluster: Cluster, { route, projects }: Arrangement): Promise<readonly Credentials[]> {
  const made: Credentials[] = [];
  for (let index = 0; index < projects; index += 1) {
    const { code, stdout, stderr } = await runProgram(cluster.env, ['project', 'create', `Bench ${index}`, '--json']);
    if (code !== 0) throw new Error(`no project could be made: ${stderr}`);
    const credentials = parseCredentials(JSON.parse(stdout));
    const project = openProject((route === 'balancer' ? cluster.url : cluster.nodes[0]?.url) ?? cluster.url, credentials);
    await pushDefinitions(project);
    // Each node opens the project before it is measured.
    for (const { url } of route === 'all nodes' ? cluster.nodes : []) {
      const other = openProject(url, credentials);
      await expectOk(`the project on ${url}`, other.http.send('GET', managePath(other, 'validate'), { headers: secretHeaders(other) }));
      other.http.close();
    }
    project.http.close();
    made.push(credentials);
  }
  return made;
}

interface Counters {
  readonly commits: number;
  readonly appends: number;
  readonly conflicts: number;
}

function countersOf({ nodes }: Cluster): Promise<readonly Counters[]> {
  return Promise.all(
    nodes.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
      return {
        commits: value('savepoint_append_commits_sum'),
        appends: value('savepoint_append_commits_count'),
        conflicts: value('savepoint_append_conflicts_total'),
      };
    }),
  );
}

/** CPU seconds of all processes of the cluster; `null` without /proc. */
async function usedBy({ parts }: Cluster): Promise<number | null> {
  const used = await Promise.all(parts.map((part) => (part.pid() === null ? 0 : usedByPart(part.part.name, part.pid() ?? 0))));
  return used.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

function usedByPart(name: string, pid: number): Promise<number | null> {
  // Postgres and nginx work in child processes of the known one.
  return name === 'postgres' || name === 'balancer' ? familyCpuSeconds(pid) : cpuSeconds(pid);
}
