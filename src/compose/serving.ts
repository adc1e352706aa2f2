import type { Logger } from 'pino';
import type { AppContext, TelemetryParts } from '../app/context.ts';
import { createApp } from '../app/create-app.ts';
import { createLookLog } from '../app/looking/look-log.ts';
import { COMPILE_HERE } from '../app/management/compile-tasks.ts';
import { type People, withNames } from '../app/people/people.ts';
import type { ViewReader } from '../app/ports/readers.ts';
import type { Signer } from '../app/ports/signer.ts';
import type { Projects } from '../app/project/projects.ts';
import { LocalGuestLimits } from '../app/security/guest-limits.ts';
import { playerIds } from '../app/security/guest-proof.ts';
import type { KeyUses } from '../app/security/key-uses.ts';
import type { Config } from '../config/config.ts';
import type { BucketGroup } from '../contract/families.ts';
import type { SharedBuckets } from '../http/buckets.ts';
import type { CallLog } from '../http/call-log/call-log.ts';
import type { Exposition, Metrics } from '../http/metrics.ts';
import type { Probes } from '../http/routes/system.ts';
import { createServer, type HttpServer, type ServerParts } from '../http/server.ts';
import { type BucketRule, HTTP_DEFAULTS, type HttpSettings } from '../http/settings.ts';
import { Bulkhead } from '../kernel/bulkhead.ts';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import { RoundRobin } from '../kernel/round-robin.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createVerifier } from '../outbound/verifier/create-verifier.ts';
import { MAX_VERIFICATIONS } from '../outbound/verifier/guarded.ts';
import { createWebhooks, MAX_WEBHOOKS } from '../outbound/webhooks.ts';
import { VERSION } from '../version.ts';
import { CompileThread, workerFile } from './compile-thread.ts';
import { exportBulkheads } from './metrics.ts';
import { type ConnectionBounds, connectionBounds, openFilesLimit } from './open-files.ts';
import { observeVerifier, observeWebhooks } from './outbound.ts';
import type { ReadBulkhead } from './read-bulkhead.ts';
import { createScans } from './scans.ts';

/** How long a read of a view waits for what this node has committed (docs/architecture.md, "Read models"). */
const VIEW_WAIT_MS = 250;

export interface ServingParts {
  readonly config: Config;
  /** How many scans may run at a time. Each takes a connection. */
  readonly scanSlots: number;
  readonly projects: Projects;
  readonly views: ViewReader;
  signer(): Promise<Signer>;
  readonly telemetry: TelemetryParts;
  readonly metrics: Metrics;
  /** Other resources that projects share, by name, for the metrics. */
  readonly bulkheads: Readonly<Record<string, ReadBulkhead>>;
  readonly logger: Logger;
  readonly probes: Probes;
  readonly exposition: Exposition;
  readonly sharedBuckets: SharedBuckets | null;
  readonly callLog: CallLog;
  readonly console: ServerParts['console'];
  readonly people: People;
  readonly keyUses: KeyUses;
  readonly log: Log;
}

/** The HTTP server over the use cases. It does not listen yet. */
export function createServing(parts: ServingParts): HttpServer {
  const { config, scanSlots, projects, views, signer, telemetry, metrics, logger, probes, exposition } = parts;
  const verifications = new Bulkhead({ slots: MAX_VERIFICATIONS });
  const posts = new Bulkhead({ slots: MAX_WEBHOOKS });
  exportBulkheads(metrics.registry, { ...parts.bulkheads, verifications, webhooks: posts });
  const webhooks = observeWebhooks(createWebhooks(config.webhookPrefixes, posts), metrics.registry, logger);
  const { documentBytes, answerBytes, boardBytes, endpointMs, commandTimeoutMs: commandMs } = config.limits;
  const file = workerFile();
  const roundRobin = new RoundRobin(realScheduler);
  const room = connectionBounds(openFilesLimit(), Boolean(parts.console));
  const thread = file === null ? null : new CompileThread(file, realScheduler);
  const app = createApp({
    projects,
    views: withNames(views, parts.people),
    people: parts.people,
    keyUses: parts.keyUses,
    looking: { log: parts.log, looks: createLookLog(parts.log, realScheduler) },
    signer,
    telemetry,
    scheduler: realScheduler,
    roundRobin,
    limits: { documentBytes, answerBytes, boardBytes, commandMs, endpointMs, viewWaitMs: VIEW_WAIT_MS, answers: answersKept(config) },
    live: liveParts(config, room, metrics, logger),
    onBoardBytes: (bytes) => metrics.boardBytes.set(bytes),
    onBoardFailed: throttled((error: unknown) =>
      logger.warn(
        { reason: errorMessage(error) },
        'a leaderboard that is asked for often could not be taken into memory, and is read from the tables',
      ),
    ),
    scans: createScans(config, scanSlots, metrics.registry),
    platformId: playerIds(config.platformIdPattern),
    webhooks,
    compiler: thread ?? COMPILE_HERE,
    verifier: createVerifier(config.verifier, realScheduler, {
      shares: verifications,
      observer: observeVerifier(config.verifier, metrics.registry, logger),
    }),
    guestLimits: new LocalGuestLimits(realScheduler),
  });
  const server = createServer({
    app,
    settings: { ...httpSettings(config), maxConnections: room.connections, maxConsoleConnections: room.toConsole },
    log: logger,
    metrics,
    probes,
    exposition: config.metricsPort === null ? exposition : null,
    turns: roundRobin,
    sharedBuckets: parts.sharedBuckets,
    callLog: parts.callLog,
    console: parts.console ?? null,
  });
  return {
    ...server,
    async close(drainMs) {
      await server.close(drainMs);
      // Webhooks of answered calls may still be under way. Each ends by itself within seconds.
      await webhooks.settled();
      await thread?.close();
    },
  };
}

/** How often the log says that too few files may be opened, ms. */
const FEW_FILES_EVERY_MS = 60_000;

function liveParts({ limits, wireNames }: Config, room: ConnectionBounds, { live }: Metrics, log: Logger): AppContext['live'] {
  const reportFewFiles = throttled(
    (bounds: object) =>
      log.warn(
        bounds,
        'streams are refused: this process may open too few files (ulimit -n, LimitNOFILE); some are kept for other requests',
      ),
    FEW_FILES_EVERY_MS,
  );
  return {
    bounds: {
      streams: Math.min(limits.liveStreams, room.streams),
      of: {
        project: { streams: limits.liveProjectStreams, topics: limits.liveProjectTopics },
        key: { streams: limits.liveKeyStreams, topics: limits.liveKeyTopics },
        address: { streams: limits.liveAddressStreams, topics: limits.liveAddressTopics },
      },
    },
    topics: limits.liveTopics,
    valueBytes: limits.liveValueBytes,
    names: wireNames,
    observer: {
      open(streams, topics) {
        live.streams.set(streams);
        live.topics.set(topics);
      },
      values: (bytes) => live.values.set(bytes),
      message: () => live.messages.inc(),
      resync: () => live.resyncs.inc(),
      refused(bound) {
        live.refused.inc({ bound });
        if (bound === 'process' && room.streams < limits.liveStreams) reportFewFiles({ LIVE_STREAMS: limits.liveStreams, ...room });
      },
    },
  };
}

const HOUR_MS = 3_600_000;
/** A stored answer of a push may be this many times as large as a game's, because it has a result for each item. */
const PUSH_ANSWER_FACTOR = 4;

export function answersKept({ limits: { keptAnswerHours, keptAnswerBytes: bytes } }: Config): AppContext['limits']['answers'] {
  const forMs = keptAnswerHours * HOUR_MS;
  return { game: { forMs, bytes }, managed: { forMs, bytes: PUSH_ANSWER_FACTOR * bytes } };
}

function httpSettings(config: Config): HttpSettings {
  const { limits, wireNames } = config;
  return {
    ...HTTP_DEFAULTS,
    version: VERSION,
    wireNames,
    corsOrigins: config.corsOrigins,
    wholeV1: config.v1Routes === 'all',
    gameBodyBytes: limits.gameBodyBytes,
    managementBodyBytes: limits.managementBodyBytes,
    bodyDepth: limits.bodyDepth,
    liveWaitingBytes: limits.liveWaitingBytes,
    liveWaiting: { ...HTTP_DEFAULTS.liveWaiting, all: limits.liveAllWaitingBytes, ofProject: limits.liveProjectWaitingBytes },
    trustedProxies: config.trustedProxies,
    buckets: requestBuckets(config),
    metricsToken: config.metricsToken,
    apiDocs: config.apiDocs === 'on',
    callLevel: config.callLevel,
    refusalShare: Math.ceil(limits.callLogRequests / 1_000),
  };
}

export function requestBuckets({ limits }: Config): Readonly<Record<BucketGroup, BucketRule>> {
  return {
    game: { burst: limits.gameBurst, perSecond: limits.gameRefill },
    management: { burst: limits.managementBurst, perSecond: limits.managementRefill },
    session: { burst: limits.sessionBurst, perSecond: limits.sessionRefill },
    guest: { burst: limits.guestBurst, perSecond: limits.guestHourly / 3600 },
    system: { burst: limits.systemBurst, perSecond: limits.systemRefill },
  };
}
