import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createProjector, type Projector } from '../projections/projector/projector.ts';
import { createStateReader } from '../projections/readers/state-reader.ts';
import { createViewReader } from '../projections/readers/view-reader.ts';
import { createOperator, type NewProject } from './app/operator/operator.ts';
import type { ViewReader } from './app/ports/readers.ts';
import type { Projects } from './app/project/projects.ts';
import { openAcceptor } from './cluster/acceptor.ts';
import { serveAsWorker } from './cluster/worker.ts';
import { startWorkerPool } from './cluster/worker-pool.ts';
import { bootstrapNode, bootstrapWorker, type NodeResources } from './compose/bootstrap.ts';
import { openCallLog } from './compose/call-log.ts';
import { addressOfLink, consoleParts, listenConsole, originOf, peopleOf, signInOf } from './compose/console.ts';
import { makeDemoProject, makeShownProject, type NoDemo } from './compose/demo.ts';
import { probesOf } from './compose/health.ts';
import { createHealthDesk } from './compose/health-desk.ts';
import { startJobs } from './compose/jobs.ts';
import { noteKeyUses } from './compose/key-uses.ts';
import { requireFreePorts } from './compose/listening.ts';
import { exportProjector, exportQuotas, observerOf, sampleMetrics } from './compose/metrics.ts';
import type { Connections } from './compose/pool.ts';
import { openMetricsPort, probeOf } from './compose/probe.ts';
import { noteProcess } from './compose/processes.ts';
import { createProjects, NO_OBSERVER, watchCheckpoints } from './compose/projects.ts';
import { createReadBulkhead, READS_OF_ONE_MACHINE, withinTimeout } from './compose/read-bulkhead.ts';
import { type Readiness, watchReadiness } from './compose/readiness.ts';
import { scanSlots } from './compose/scans.ts';
import { createServing } from './compose/serving.ts';
import { sharedBuckets } from './compose/shared-buckets.ts';
import { Shutdown } from './compose/shutdown.ts';
import { installationSigner } from './compose/signing-key.ts';
import { followTelemetry, openTelemetry } from './compose/telemetry.ts';
import type { Config } from './config/config.ts';
import { createMetrics, expositionOf } from './http/metrics.ts';
import type { Probes } from './http/routes/system.ts';
import type { HttpServer } from './http/server.ts';
import { realScheduler } from './kernel/scheduler.ts';

/** Composition: the parts of a node, according to its roles. The parts themselves are in `compose/`. */

/** The share of the stopping time that running requests may take. The rest is for their commits, and for the database. */
const DRAIN_SHARE = 0.6;
/** The share of it that telemetry may take to be projected to the end. */
const FINISH_SHARE = 0.2;
/** The share of it for everything but the database. */
const STOP_SHARE = 0.9;

export interface Node {
  readonly url: string;
  /** The demo project if this start has made it, otherwise the reason why not. */
  readonly demo: NewProject | NoDemo;
  /** Makes a project, and resolves when this node shows it; `null`: this process serves no requests itself. */
  readonly createProject: CreateProject | null;
  /** Where the console is; `null`: this node has none. */
  readonly console: NodeConsole | null;
  /**
   * Stops serving, lets running requests finish and stops all parts, within `SHUTDOWN_TIMEOUT_MS` plus the time that the database takes.
   */
  close(): Promise<void>;
}

interface NodeConsole {
  readonly origin: string;
  /** The sign-in link of the very first start, which is good once and for ten minutes; `null`: there was one before. */
  firstLink(): Promise<string | null>;
}

type CreateProject = (name: string) => Promise<NewProject>;

export interface NodeOptions {
  readonly demo: boolean;
  readonly logger: Logger;
  /** Called when the embedded database has ended and cannot be restarted, so that the node cannot go on. */
  readonly onLost: () => void;
  /** Ends the wait for a database or log that does not answer. */
  readonly stopping?: AbortSignal;
}

/** The parts of one process, while they are being put together. */
interface NodeBuild extends NodeResources, Omit<NodeOptions, 'onLost' | 'stopping'> {
  readonly config: Config;
  readonly shutdown: Shutdown;
  readonly readiness: Readiness;
  readonly probes: Probes;
}

/** Starts a node. Throws `ConfigProblem` or `DatabaseProblem`, which say what to do, or the error of listening. */
export async function startNode(config: Config, options: NodeOptions): Promise<Node> {
  const shutdown = new Shutdown(options.logger);
  const close = () => shutdown.run(config.limits.shutdownTimeoutMs * STOP_SHARE);
  try {
    await requireFreePorts(config);
    const resources = await bootstrapNode(config, options.logger, shutdown, options);
    const building = { ...resources, ...options, config, shutdown };
    const build = { ...building, ...probesWithReadiness(building) };
    const { port, demo, registry, createProject, console: origin } = await startRoles(build);
    startJobs({ ...build, registry });
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return { url: `http://${host}:${port}`, demo, createProject, console: origin === null ? null : consoleOf(build, origin), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function consoleOf({ pool, log }: NodeBuild, origin: string): NodeConsole {
  return {
    origin,
    async firstLink() {
      const link = await signInOf(pool, peopleOf(log)).firstLink();
      return link === null ? null : addressOfLink(origin, link);
    },
  };
}

interface Started {
  readonly port: number;
  readonly demo: NewProject | NoDemo;
  /** The metrics of this process. */
  readonly registry: Registry;
  readonly createProject: CreateProject | null;
  /** Origin of the console; `null`: there is none. */
  readonly console: string | null;
}

function startRoles(build: NodeBuild): Promise<Started> {
  if (!build.config.roles.includes('api')) return startWithoutApi(build);
  return build.config.workers > 1 ? startWithWorkers(build) : startInOneProcess(build);
}

/** Serves requests in this process. If the node also projects, the projector reports its checkpoints to the working set. */
async function startInOneProcess(build: NodeBuild): Promise<Started> {
  const { config, shutdown } = build;
  const { projects, views, metrics, server, exposition } = await openProjects(build, config.roles.includes('projector'));
  const demo = await demoOf(build, projects, views);
  await openMetricsPort(build, build.probes, exposition);
  const port = await server.listen(config.port, config.host);
  shutdown.add(() => server.close(config.limits.shutdownTimeoutMs * DRAIN_SHARE));
  const operator = createOperator(projects, config.keyPrefix);
  const origin = await listenConsole(config, build.pool, server, build.logger);
  return { port, demo, registry: metrics.registry, console: origin, createProject: (name) => makeShownProject(operator, views, name) };
}

/** Starts workers, which serve requests. This process passes connections to them, and projects if the node has that role. */
async function startWithWorkers(build: NodeBuild): Promise<Started> {
  const { config, shutdown, pool, log, logger } = build;
  const projecting = config.roles.includes('projector') ? await startProjecting(build) : null;
  const registry = projecting?.registry ?? createMetrics().registry;
  shutdown.add(noteProcess({ ...build, registry }));
  const operating = createProjects(config, log, createStateReader(pool), logger, NO_OBSERVER);
  const demo = await demoOf(build, operating, createViewReader(pool, projecting?.projector ?? null)).finally(() => operating.close());
  const { databaseUrl, connections } = build;
  const workers = await startWorkerPool<WorkerStart>({ size: config.workers, start: { databaseUrl, connections }, registry, logger });
  const drainMs = config.limits.shutdownTimeoutMs * STOP_SHARE;
  shutdown.add(() => workers.stop(drainMs));
  await openMetricsPort(build, build.probes, expositionOf(workers.exposition));
  const acceptor = await openAcceptor(config.port, config.host, workers.dispatch);
  shutdown.add(async () => acceptor.close());
  const origin = config.consoleListen === null ? null : await originOf(config, pool);
  return { port: acceptor.port, demo, registry, console: origin, createProject: null };
}

/** The value that the first process starts a worker with. The worker reads the rest from the same environment and arguments. */
interface WorkerStart {
  readonly databaseUrl: string;
  readonly connections: Connections;
}

/** Runs a worker of a node with `--workers`, until the first process stops it. */
export function runWorker(config: Config, logger: Logger): void {
  serveAsWorker<WorkerStart>(async ({ databaseUrl, connections }, exposition) => {
    const shutdown = new Shutdown(logger);
    const resources = await bootstrapWorker(config, databaseUrl, connections, logger, shutdown);
    const building = { ...resources, config, shutdown, logger };
    const build = { ...building, demo: false, ...probesWithReadiness(building) };
    const { metrics, server } = await openProjects(build, false, exposition);
    const { shutdownTimeoutMs } = config.limits;
    // Workers listen on one port together: Node gives each connection to one of them.
    await listenConsole(config, resources.pool, server, logger);
    shutdown.add(() => server.close(shutdownTimeoutMs * DRAIN_SHARE));
    return { registry: metrics.registry, accept: server.accept, close: () => shutdown.run(shutdownTimeoutMs * STOP_SHARE) };
  });
}

/** A node without requests: read models, background jobs and probes. */
async function startWithoutApi(build: NodeBuild): Promise<Started> {
  const { config, shutdown } = build;
  const { metrics } = config.roles.includes('projector') ? await startProjecting(build) : { metrics: createMetrics() };
  shutdown.add(noteProcess({ ...build, registry: metrics.registry }));
  const exposition = expositionOf(() => metrics.registry.metrics());
  await openMetricsPort(build, build.probes, exposition);
  const server = probeOf(config, build.probes, exposition);
  const port = await server.listen(config.port, config.host);
  shutdown.add(() => server.close());
  return { port, demo: 'not asked for', registry: metrics.registry, console: null, createProject: null };
}

async function startProjecting({ config, log, pool, outages: logger, shutdown }: NodeBuild) {
  const metrics = createMetrics();
  const projector = createProjector({ log, pool, logger, shared: config.databaseUrl !== null });
  shutdown.add(() => projector.stop());
  await projector.start();
  exportProjector(metrics.registry, projector);
  followTelemetry({ log, pool, logger, shutdown, registry: metrics.registry }, config.limits.shutdownTimeoutMs * FINISH_SHARE);
  return { metrics, registry: metrics.registry, projector };
}

/**
 * Opens the write side with its HTTP server, which does not listen yet. `projecting`: this process also projects; `ofAll`: metrics of the
 * whole node.
 */
async function openProjects(build: NodeBuild, projecting: boolean, ofAll?: () => Promise<string>) {
  const { config, log, pool, connections, logger, outages, shutdown } = build;
  const metrics = createMetrics();
  // Separate bulkheads, so that slow views of a project do not delay its decisions.
  const stateReads = createReadBulkhead(build.connections.pool, realScheduler);
  const viewReads = createReadBulkhead(
    build.connections.pool,
    realScheduler,
    config.databaseUrl === null ? READS_OF_ONE_MACHINE : undefined,
  );
  const states = createStateReader(pool, stateReads.run);
  const projects = createProjects(config, log, states, outages, observerOf(metrics));
  const onProgress = (projectId: string, { revision }: { readonly revision: number }) => projects.projected(projectId, revision);
  const projector: Projector | null = projecting
    ? createProjector({ log, pool, logger: outages, shared: config.databaseUrl !== null, onProgress })
    : null;
  shutdown.add(async () => projector?.stop());
  shutdown.add(() => projects.close());
  await Promise.all([projector?.start(), projects.start()]);
  if (projector === null) shutdown.add(watchCheckpoints(projects, states, outages));
  else exportProjector(metrics.registry, projector);
  const shared = { log, pool, logger: outages, shutdown, registry: metrics.registry };
  if (projecting) followTelemetry(shared, config.limits.shutdownTimeoutMs * FINISH_SHARE);
  const telemetry = openTelemetry(shared, config.limits);
  shutdown.add(sampleMetrics(metrics, projects));
  shutdown.add(noteProcess({ config, pool, registry: metrics.registry, outages }));
  exportQuotas(metrics.registry);
  const run = withinTimeout(viewReads, realScheduler, config.limits.commandTimeoutMs);
  const views = createViewReader(pool, projector, {
    run,
    hasCaughtUp: build.readiness.hasCaughtUp,
  });
  const people = peopleOf(log);
  const exposition = expositionOf(ofAll ?? (() => metrics.registry.metrics()));
  const server: HttpServer = createServing({
    config,
    scanSlots: scanSlots(connections.pool),
    projects,
    views,
    signer: installationSigner(pool),
    telemetry,
    metrics,
    bulkheads: { loads: stateReads, views: viewReads },
    logger,
    probes: build.probes,
    exposition,
    sharedBuckets: sharedBuckets(config, logger, shutdown),
    people,
    keyUses: noteKeyUses({ pool, outages, shutdown }),
    log,
    console: consoleParts(config, pool, people, logger, () => createHealthDesk(build)),
    callLog: openCallLog(config, { pool, run, outages, registry: metrics.registry, shutdown }),
  });
  return { projects, views, metrics, server, exposition };
}

/** The probes of this process, with its readiness from now on. */
function probesWithReadiness({
  config,
  pool,
  log,
  outages,
  shutdown,
}: Omit<NodeBuild, 'probes' | 'readiness' | 'demo'>): Pick<NodeBuild, 'probes' | 'readiness'> {
  const onError = (err: unknown) => outages.warn({ err }, 'whether this process is ready cannot be told yet; asking again');
  const readiness = watchReadiness({ log, pool, onError });
  shutdown.add(() => readiness.stop());
  return { readiness, probes: probesOf(pool, config.eventStoreUrl === null ? null : log, readiness) };
}

async function demoOf(build: NodeBuild, projects: Projects, views: ViewReader): Promise<NewProject | NoDemo> {
  if (!build.demo) return 'not asked for';
  return makeDemoProject({ ...build, views, operator: createOperator(projects, build.config.keyPrefix) });
}
