import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import type { RecordedEvent } from '../../../src/log/port.ts';
import type { StandIn } from './server.ts';
import { callError, checkpoint, confirmation, eventMessage, NOT_READY, nameOf, notLeader, streamNotFound } from './wire.ts';

type Context = Pick<StandIn, 'store' | 'faults' | 'network' | 'calls' | 'started'>;
type Call = ServerWritableStream<streams.ReadReq, streams.ReadResp>;
type Options = streams.ReadReq.Options;

/** Number of events between two progress reports of a subscription. */
const WINDOW = 32;

/** All calls that read: a stream, the whole log, and the whole log as a subscription. */
export function readHandler(context: Context): (call: Call) => Promise<void> {
  return async (call) => {
    const options = call.request.getOptions();
    if (!options) return;
    call.on('error', () => undefined);
    const { leaderPort } = context.faults;
    if (leaderPort !== null) return void call.emit('error', notLeader(leaderPort));
    if (context.faults.readsNotReady) return void call.emit('error', NOT_READY);
    if (options.hasSubscription()) return counted(context, 'subscriptions', call, () => subscription(context, call, options));
    await counted(context, 'reads', call, () => reading(context, call, options));
  };
}

async function counted(context: Context, kind: 'reads' | 'subscriptions', call: Call, run: () => Promise<void>): Promise<void> {
  context.calls[kind]++;
  context.started[kind]++;
  call.on('close', () => context.calls[kind]--);
  await run();
}

async function reading({ store, faults }: Context, call: Call, options: Options): Promise<void> {
  if (faults.readsSilent) return;
  const stream = options.getStream();
  const name = nameOf(stream?.getStreamIdentifier());
  if (stream && store.isTombstone(name)) {
    return void call.emit('error', callError(status.FAILED_PRECONDITION, 'deleted', 'stream-deleted', name));
  }
  const from = options.getAll()?.getPosition()?.getCommitPosition();
  if (from !== undefined && !(await store.isPosition(BigInt(from)))) return void call.emit('error', NO_POSITION);
  const stored = stream ? await store.stream(name) : await store.all();
  if (stored === null) {
    call.write(streamNotFound(name));
    return void call.end();
  }
  const chosen = stream ? ofStream(stored, stream, options) : ofAll(stored, options);
  for (const event of chosen.slice(0, Number(options.getCount()))) await write(call, eventMessage(event));
  call.end();
}

const isBackwards = (options: Options) => Number(options.getReadDirection()) === 1;

/** From a revision, inclusive in both directions. */
function ofStream(stored: readonly RecordedEvent[], from: streams.ReadReq.Options.StreamOptions, options: Options): RecordedEvent[] {
  const revision = Number(from.getRevision());
  if (isBackwards(options)) return stored.filter((event) => from.hasEnd() || event.revision <= revision).reverse();
  return stored.filter((event) => from.hasStart() || event.revision >= revision);
}

/** From a position: inclusive forwards, exclusive backwards. */
function ofAll(stored: readonly RecordedEvent[], options: Options): RecordedEvent[] {
  const from = options.getAll();
  const commit = BigInt(from?.getPosition()?.getCommitPosition() ?? 0);
  if (isBackwards(options)) return (from?.hasEnd() ? [...stored] : stored.filter((event) => event.position < commit)).reverse();
  return stored.filter((event) => from?.hasStart() || event.position >= commit);
}

/**
 * A filtered subscription as real servers have it. It skips the first event at or after its start. It reports its progress beside the
 * events, and while it catches up, with a position whose second half is 0. It does not say that it has caught up.
 */
async function subscription(context: Context, call: Call, options: Options): Promise<void> {
  const stop = new AbortController();
  call.on('cancelled', () => stop.abort());
  call.on('close', () => stop.abort());
  const all = options.getAll();
  const from = all?.hasPosition() ? BigInt(all.getPosition()?.getCommitPosition() ?? 0) : null;
  if (from !== null && !(await context.store.isPosition(from))) return void call.emit('error', NO_SUBSCRIPTION);
  await write(call, confirmation());
  if (context.faults.subscriptionsSilent) return;

  const wants = filterOf(options);
  let after = from === null ? -1n : ((await context.store.all()).find((event) => event.position >= from)?.position ?? from);
  let given = 0;
  let looked = 0;
  let live = false;
  for await (const _ of context.store.changes(stop.signal)) {
    const fresh = (await context.store.all()).filter((event) => event.position > after);
    for (const event of fresh) {
      after = event.position;
      if (wants(event)) {
        if (++given > context.faults.tooSlowAfter) return void call.emit('error', TOO_SLOW);
        await write(call, eventMessage(event));
      }
      if (++looked % WINDOW === 0) await write(call, checkpoint(after, live ? after : 0n));
      if (stop.signal.aborted) return;
    }
    live = true;
  }
}

/** What 23.10 answers for a position between two events. */
const NO_POSITION = callError(status.UNKNOWN, 'Unexpected ReadAllResult: Error');
const NO_SUBSCRIPTION = callError(status.UNKNOWN, 'Exception was thrown by handler.');
const TOO_SLOW = callError(status.ABORTED, 'Consumer too slow to handle event while live. Client resubscription required.');

function filterOf(options: Options): (event: RecordedEvent) => boolean {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = new RegExp(expression?.getRegex() ?? '');
  return ({ stream, type }) => {
    // The stand-in keeps the content type before the type.
    const name = filter?.hasStreamIdentifier() ? stream : type.slice(type.indexOf(' ') + 1);
    return prefixes.length > 0 ? prefixes.some((prefix) => name.startsWith(prefix)) : regex.test(name);
  };
}

async function write(call: Call, message: streams.ReadResp): Promise<void> {
  if (call.destroyed || call.cancelled || call.write(message)) return;
  await new Promise<void>((resolve) => {
    const events = ['drain', 'close', 'cancelled'];
    const done = () => {
      for (const event of events) call.off(event, done);
      resolve();
    };
    for (const event of events) call.on(event, done);
  });
}
