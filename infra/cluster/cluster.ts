import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from '../harness/node.ts';
import { balancerPart, type NodePart, nodePart, postgresPart, redisPart } from './parts.ts';
import { type Supervised, supervise } from './supervisor.ts';

/** The topology of `infra/docker` without Docker: processes on this machine, on the loopback only. */

export interface ClusterOptions {
  /** Folder for everything that it stores: database, queue, logs. */
  readonly folder: string;
  /** Number of API nodes. */
  readonly nodes: number;
  /** Port of the load balancer; 0 takes a free one. */
  readonly port: number;
  /** Whether to start a Redis and a worker. */
  readonly jobs: boolean;
  /**
   * The nodes' settings. DATABASE_URL, EVENTSTORE_URL and REDIS_URL name external servers. Without the first and the last, an embedded
   * Postgres and a Redis are started.
   */
  readonly env: NodeJS.ProcessEnv;
  readonly tell: (text: string) => void;
}

interface ClusterNode {
  readonly name: string;
  readonly url: string;
  pid(): number | null;
}

export interface Cluster {
  /** Address of the load balancer. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** In the order in which they were started. */
  readonly parts: readonly Supervised[];
  /** The environment in which `savepoint` commands work on this cluster. It holds passwords. */
  readonly env: NodeJS.ProcessEnv;
  /** With the password, so it must never be logged. */
  readonly databaseUrl: string;
  /** The file with the keys of the demo project; `null` where the log already held projects. */
  readonly credentialsFile: string | null;
  /** Stops the load balancer first and the database last. Running requests are finished. */
  stop(): Promise<void>;
}

/** How long to wait until the nodes have caught up with the log. */
const READY_MS = 60_000;
/** Connections that one node may take, and those for commands beside them. */
const CONNECTIONS = { perNode: 20, spare: 20 };
/** Settings that a node gets on its command line here. As environment variables they would contradict its role. */
const OWN_SETTINGS = ['PORT', 'HOST', 'ROLES', 'WORKERS', 'SAVEPOINT_DATA'];

/** Starts everything and waits until it serves. If one part does not start, throws its error and stops the others. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const supervised: Supervised[] = [];
  const stop = async () => {
    for (const together of stopOrder(supervised)) await Promise.all(together.map((one) => one.stop()));
  };
  try {
    return await start(options, supervised, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: ClusterOptions, supervised: Supervised[], stop: () => Promise<void>): Promise<Cluster> {
  const { nodes, port, jobs, tell } = options;
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true });
  const add = async (part: Supervised['part']) => void supervised.push(await supervise(part, tell));

  const env = { ...options.env };
  for (const name of OWN_SETTINGS) delete env[name];
  // Its nodes would ask for one port.
  env['CONSOLE_LISTEN'] ??= 'off';
  const given = env['DATABASE_URL'];
  const databaseUrl = given || (await embedded(options, folder, add));
  env['DATABASE_URL'] = databaseUrl;
  if (jobs && !env['REDIS_URL']) {
    const redis = await redisPart(folder);
    env['REDIS_URL'] = redis.url;
    await add(redis);
  }
  // Starts one node after the other up to here: the first runs the migrations, and the first API node creates the demo project.
  await add(await nodePart('projector', 'projector', folder, env, ['--no-demo']));
  const serving: NodePart[] = [];
  for (let index = 1; index <= nodes; index += 1) {
    serving.push(await nodePart(`api-${index}`, 'api', folder, env, index === 1 ? [] : ['--no-demo']));
  }
  const [first, ...others] = serving;
  if (first !== undefined) await add(first);
  const begun = await Promise.allSettled(others.map(add));
  for (const one of begun) if (one.status === 'rejected') throw one.reason;
  if (jobs) await add(await nodePart('worker', 'worker', folder, env, ['--no-demo']));
  await untilReady(serving, tell);
  const balancer = await balancerPart(folder, port, serving);
  await add(balancer);

  const credentials = join(folder, 'api-1', 'demo-project.json');
  return {
    url: balancer.url,
    nodes: serving.map(({ name, url }) => ({ name, url, pid: () => supervised.find((one) => one.part.name === name)?.pid() ?? null })),
    parts: supervised,
    env,
    databaseUrl,
    credentialsFile: existsSync(credentials) ? credentials : null,
    stop,
  };
}

/**
 * Waits until the nodes are ready, because a node that has not caught up would answer players that nothing exists. A node that takes longer
 * than {@link READY_MS} gets requests anyway and refuses some of them.
 */
async function untilReady(serving: readonly NodePart[], tell: (text: string) => void): Promise<void> {
  const until = Date.now() + READY_MS;
  for (const { name, url } of serving) {
    while (!(await isReady(url))) {
      if (Date.now() > until) return tell(`${name} still catches up with the log; its /ready tells when it has`);
      await sleep(50);
    }
  }
}

async function embedded(
  { nodes, jobs, tell }: ClusterOptions,
  folder: string,
  add: (part: Supervised['part']) => Promise<void>,
): Promise<string> {
  const processes = nodes + (jobs ? 2 : 1);
  const postgres = await postgresPart(folder, processes * CONNECTIONS.perNode + CONNECTIONS.spare, tell);
  await add(postgres);
  return postgres.url;
}

/** The order of stopping: first the load balancer, then all nodes at once, then what they depend on. */
function stopOrder(supervised: readonly Supervised[]): readonly (readonly Supervised[])[] {
  const named = (name: string) => supervised.filter(({ part }) => part.name === name);
  const ends = ['balancer', 'redis', 'postgres'];
  const nodes = supervised.filter(({ part }) => !ends.includes(part.name));
  return [named('balancer'), nodes, named('redis'), named('postgres')];
}
