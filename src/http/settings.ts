import type { BucketGroup } from '../contract/families.ts';
import type { BacklogBounds } from './backlog.ts';

/** Settings of the transport. `src/compose/serving.ts` fills them from the configuration. Sizes are bytes, times are milliseconds. */
export interface HttpSettings {
  readonly version: string;
  /** Shown by `/v3/server-info` and by the canary. */
  readonly product: string;
  /** Name of the database, shown by `/v3/server-info`. */
  readonly database: string;
  /** Origins that browsers may call from. `*` allows all; an empty list turns CORS off. */
  readonly corsOrigins: readonly string[];
  /** The spelling of names in answers. Requests may use either one. */
  readonly wireNames: 'neutral' | 'published';
  /** Whether `/v1` serves all that `/v3` does, or only what old clients call there. */
  readonly wholeV1: boolean;
  readonly gameBodyBytes: number;
  readonly managementBodyBytes: number;
  /** Deepest nesting of a request body. */
  readonly bodyDepth: number;
  /** How long one body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** Bytes of request bodies that may be arriving, over all connections. */
  readonly arrivingBytes: number;
  /** How long one body may take when too many are arriving. */
  readonly arrivingGraceMs: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Interval of the check for connections that exceed these times. */
  readonly checkingMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Connections that may be open; further ones are closed at once. */
  readonly maxConnections: number;
  /** The same to the console, which has some of its own. */
  readonly maxConsoleConnections: number;
  /** Bytes of large answers that may wait for their clients, over all connections. */
  readonly unsentBytes: number;
  /** How long a client may take for one answer when too many wait. */
  readonly unsentGraceMs: number;
  /** How long a client may take nothing of a file that is made while it is taken. */
  readonly fileIdleMs: number;
  /** Characters that may wait for one client of a stream. */
  readonly liveWaitingBytes: number;
  /** The same over all streams of the process, and over those of one project. */
  readonly liveWaiting: BacklogBounds;
  /** Request buckets per client address; `null` turns them off. */
  readonly buckets: Readonly<Record<BucketGroup, BucketRule>> | null;
  /** Addresses and networks (`10.0.0.0/8`) whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** A request that takes longer is logged. */
  readonly slowMs: number;
  /** The token with which other machines may read `/metrics`; `null`: only this machine may. */
  readonly metricsToken: string | null;
  /** Whether the description of the API and its page are served. */
  readonly apiDocs: boolean;
  /** Level of log lines about endpoint calls that were refused or failed. */
  readonly callLevel: 'debug' | 'info' | 'warn' | 'silent';
  /** Most refusals of one address in an hour that the call log takes of a project. */
  readonly refusalShare: number;
  /** Level of the log line of an answer from 400 to 499. */
  readonly clientErrorLevel: 'debug' | 'info';
}

/** A token bucket: holds up to `burst` tokens and regains `perSecond` of them each second. */
export interface BucketRule {
  readonly burst: number;
  readonly perSecond: number;
}

/** Default settings. */
export const HTTP_DEFAULTS: HttpSettings = {
  version: '0.0.0',
  product: 'savepoint',
  database: 'postgres',
  corsOrigins: [],
  wireNames: 'neutral',
  wholeV1: false,
  gameBodyBytes: 262_144,
  managementBodyBytes: 8_388_608,
  bodyDepth: 64,
  bodyTimeoutMs: 30_000,
  arrivingBytes: 134_217_728,
  arrivingGraceMs: 5_000,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 60_000,
  checkingMs: 2_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: Number.POSITIVE_INFINITY,
  maxConsoleConnections: Number.POSITIVE_INFINITY,
  unsentBytes: 134_217_728,
  unsentGraceMs: 5_000,
  fileIdleMs: 5_000,
  liveWaitingBytes: 262_144,
  liveWaiting: { all: 268_435_456, ofProject: 67_108_864, graceMs: 10_000 },
  buckets: {
    game: { burst: 600, perSecond: 200 },
    management: { burst: 120, perSecond: 20 },
    session: { burst: 120, perSecond: 30 },
    guest: { burst: 60, perSecond: 1 / 30 },
    system: { burst: 60, perSecond: 10 },
  },
  trustedProxies: ['127.0.0.0/8', '::1'],
  slowMs: 1000,
  metricsToken: null,
  apiDocs: true,
  callLevel: 'info',
  refusalShare: 100,
  clientErrorLevel: 'debug',
};
