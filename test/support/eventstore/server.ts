import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type * as features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type handleUnaryCall, Server, ServerCredentials, type status } from '@grpc/grpc-js';
import { type Network, startNetwork } from '../network.ts';
import { appendHandlers } from './appends.ts';
import { readHandler } from './reads.ts';
import { createStore, type Store } from './store.ts';
import { callError, NOT_READY } from './wire.ts';

/**
 * What happens to one append:
 * - `answered`: answered normally;
 * - `silentBefore`, `silentAfter`: never answered; not stored, or stored;
 * - `cutBefore`, `cutAfter`: all connections break, before it is stored or after;
 * - the others: the answer of a server with a problem. Nothing is stored.
 */
export type AppendFate =
  | 'answered'
  | 'silentBefore'
  | 'silentAfter'
  | 'cutBefore'
  | 'cutAfter'
  | 'notReady'
  | 'busy'
  | 'timedOut'
  | 'denied'
  | 'unknown'
  | 'badRequest';

/** How the server misbehaves. A test may change it at any time. */
interface Faults {
  /** What happens to the next appends, in order. After these, appends are answered normally. */
  appends: AppendFate[];
  /** Set on a follower: the port of its leader. It refuses calls that ask for the leader, and names that port. */
  leaderPort: number | null;
  /** How far the server's clock is ahead of the client's. */
  clockAheadMs: number;
  /** Reads fail as they do right after a start. */
  readsNotReady: boolean;
  /** Reads get no answer. */
  readsSilent: boolean;
  /** Subscriptions are confirmed and bring nothing. */
  subscriptionsSilent: boolean;
  /** Subscriptions are ended as too slow after this many events. */
  tooSlowAfter: number;
  /** The error code for the first call of a client, which asks what the server can do. */
  featuresFail: status | null;
}

export interface StandIn {
  /** A connection string for {@link StandIn.network}. */
  readonly url: string;
  readonly store: Store;
  readonly faults: Faults;
  readonly network: Network;
  /** Calls and subscriptions that are open now. */
  readonly calls: { appends: number; reads: number; subscriptions: number };
  /** All reads and subscriptions that were started. */
  readonly started: { reads: number; subscriptions: number };
  /** Like kill -9: connections break and nobody listens. What was stored stays. */
  crash(): void;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface StandInOptions {
  /** Whether it has the batched append of servers since 21.10. Default true. */
  readonly batchAppend?: boolean;
}

/**
 * A stand-in for an EventStoreDB: real gRPC over loopback with the documented semantics of Read, Append, BatchAppend, subscriptions and
 * ServerFeatures, over the memory log. It shows how the adapter and the real client react to faults. What a real server does can only be
 * shown by running the contract suite against one.
 */
export async function startStandIn({ batchAppend = true }: StandInOptions = {}): Promise<StandIn> {
  const store = createStore();
  const faults: Faults = {
    appends: [],
    leaderPort: null,
    clockAheadMs: 0,
    readsNotReady: false,
    readsSilent: false,
    subscriptionsSilent: false,
    tooSlowAfter: Number.POSITIVE_INFINITY,
    featuresFail: null,
  };
  const calls = { appends: 0, reads: 0, subscriptions: 0 };
  const started = { reads: 0, subscriptions: 0 };
  let server: Server | null = null;
  let port: number | null = null;
  const network = await startNetwork(() => port);
  const context = { store, faults, network, calls, started };

  const supported: handleUnaryCall<unknown, features.SupportedMethods> = (_, answer) => {
    if (faults.featuresFail !== null) return answer(callError(faults.featuresFail, 'planned'));
    const methods = new featuresPb.SupportedMethods().setEventStoreServerVersion('23.10.0-stand-in');
    for (const method of ['read', 'append', ...(batchAppend ? ['batchappend'] : [])]) {
      methods.addMethods(new featuresPb.SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName(method));
    }
    answer(null, methods);
  };

  const start = async () => {
    const fresh = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
    fresh.addService(streamsGrpc.StreamsService, {
      ...appendHandlers(context),
      read: readHandler(context),
      delete: (_: unknown, answer: (error: object) => void) => answer(NOT_READY),
      tombstone: (_: unknown, answer: (error: object) => void) => answer(NOT_READY),
    });
    fresh.addService(featuresGrpc.ServerFeaturesService, { getSupportedMethods: supported });
    port = await new Promise<number>((resolve, reject) => {
      fresh.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    server = fresh;
  };
  const crash = () => {
    port = null;
    network.disconnect();
    server?.forceShutdown();
    server = null;
  };

  await start();
  return {
    url: `esdb://127.0.0.1:${network.port}?tls=false`,
    ...context,
    crash,
    start,
    async close() {
      crash();
      await network.close();
    },
  };
}
