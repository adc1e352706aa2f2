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
 * What becomes of one append:
 *  - `answered`: as the protocol says;
 *  - `silentBefore`, `silentAfter`: no answer ever; not stored, or stored;
 *  - `cutBefore`, `cutAfter`: all connections break; before it is stored, or after;
 *  - the others are answers of a server in trouble. Nothing is stored.
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

/** How the server misbehaves; a test changes it as it goes. */
export interface Faults {
  /** Of the appends to come, in order; what is not planned for is answered. */
  appends: AppendFate[];
  /** Port of the leader, where this server follows one: it refuses what asks for the leader, and names it. */
  leaderPort: number | null;
  /** How far the server's clock is ahead of the client's. */
  clockAheadMs: number;
  /** Reads fail as they do just after a start. */
  readsNotReady: boolean;
  /** Reads get no answer. */
  readsSilent: boolean;
  /** Subscriptions are confirmed and bring nothing. */
  subscriptionsMute: boolean;
  /** Subscriptions are ended as too slow after so many events each. */
  tooSlowAfter: number;
  /** Code of the failure of the first question that a client asks: what the server can do. */
  featuresFail: status | null;
}

export interface StandIn {
  /** A connection string for {@link StandIn.network}. */
  readonly url: string;
  readonly store: Store;
  readonly faults: Faults;
  readonly network: Network;
  /** Calls and subscriptions that are open on the server now. */
  readonly calls: { appends: number; reads: number; subscriptions: number };
  /** Reads and subscriptions that were asked for, ever. */
  readonly asked: { reads: number; subscriptions: number };
  /** As kill -9: connections break, nobody listens. What was stored stays. */
  crash(): void;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface StandInOptions {
  /** The batched append of servers since 21.10. Default true. */
  readonly batchAppend?: boolean;
}

/**
 * A stand-in for an EventStoreDB: real gRPC over loopback, with the protocol's documented semantics for Read, Append, BatchAppend,
 * subscriptions and ServerFeatures, over the memory log. It shows how the adapter and the real client take faults. What a real
 * server does, only a run of the contract suite against one can show.
 */
export async function startStandIn({ batchAppend = true }: StandInOptions = {}): Promise<StandIn> {
  const store = createStore();
  const faults: Faults = {
    appends: [],
    leaderPort: null,
    clockAheadMs: 0,
    readsNotReady: false,
    readsSilent: false,
    subscriptionsMute: false,
    tooSlowAfter: Number.POSITIVE_INFINITY,
    featuresFail: null,
  };
  const calls = { appends: 0, reads: 0, subscriptions: 0 };
  const asked = { reads: 0, subscriptions: 0 };
  let server: Server | null = null;
  let port: number | null = null;
  const network = await startNetwork(() => port);
  const context = { store, faults, network, calls, asked };

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
    network.cut();
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
