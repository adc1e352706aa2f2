import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerDuplexStream, type ServerReadableStream, type sendUnaryData, status } from '@grpc/grpc-js';
import type { AppendResult } from '../../../src/log/port.ts';
import type { StandIn } from './server.ts';
import {
  type Arriving,
  addTo,
  arriving,
  batchAnswer,
  batchRefused,
  batchStored,
  callError,
  NOT_READY,
  notLeader,
  singleAnswer,
  wrongVersion,
} from './wire.ts';

type Context = Pick<StandIn, 'store' | 'faults' | 'network' | 'calls'>;

/** The server's setting `MaxAppendSize`. */
const MAX_APPEND_BYTES = 1024 * 1024;

/** The outcome of an append: a result, an error, or no answer. */
type Outcome = AppendResult | 'silent' | 'tooLarge' | 'deleted' | 'notReady' | 'busy' | 'timedOut' | 'denied' | 'unknown' | 'badRequest';

/** Takes the next planned fate. */
async function carryOut({ store, faults, network }: Context, append: Arriving): Promise<Outcome> {
  if (append.bytes > MAX_APPEND_BYTES) return 'tooLarge';
  if (store.isTombstone(append.stream)) return 'deleted';
  const fate = faults.appends.shift() ?? 'answered';
  if (fate === 'silentBefore') return 'silent';
  if (fate === 'cutBefore') network.disconnect();
  if (fate === 'cutBefore') return 'silent';
  const stores = fate === 'answered' || fate === 'silentAfter' || fate === 'cutAfter';
  if (!stores) return fate;
  const result = await store.append(append.stream, append.expected, append.events);
  if (fate === 'cutAfter') network.disconnect();
  return fate === 'answered' ? result : 'silent';
}

/** `append`: one call for each append, as on old servers. `batchAppend`: one call for all, answered in their order. */
export function appendHandlers(context: Context) {
  const append = (call: ServerReadableStream<streams.AppendReq, streams.AppendResp>, answer: sendUnaryData<streams.AppendResp>) => {
    let current: Arriving | null = null;
    call.on('data', (request: streams.AppendReq) => {
      const [options, message] = [request.getOptions(), request.getProposedMessage()];
      if (options) current = arriving(options);
      if (message && current) addTo(current, [message]);
    });
    call.on('end', async () => {
      if (!current) return;
      const outcome = await carryOut(context, current);
      if (outcome === 'silent') return;
      if (typeof outcome === 'object') return answer(null, singleAnswer(outcome, current.expected));
      if (outcome === 'notReady') return answer(NOT_READY);
      if (outcome === 'deleted') return answer(callError(status.FAILED_PRECONDITION, 'deleted', 'stream-deleted', current.stream));
      answer(callError(status.UNKNOWN, outcome));
    });
  };

  const batchAppend = (call: ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>) => {
    const parts = new Map<string, Arriving>();
    let last = Promise.resolve();
    context.calls.appends++;
    call.on('close', () => context.calls.appends--);
    call.on('error', () => undefined);
    call.on('end', () => call.end());
    call.on('data', (request: streams.BatchAppendReq) => {
      const id = request.getCorrelationId()?.getString() ?? '';
      const options = request.getOptions();
      const current = options ? arriving(options) : parts.get(id);
      if (!current) return;
      parts.set(id, current);
      addTo(current, request.getProposedMessagesList());
      if (!request.getIsFinal()) return;
      parts.delete(id);
      last = last.then(async () => {
        const { leaderPort } = context.faults;
        if (leaderPort !== null) return void call.emit('error', notLeader(leaderPort));
        const isPast = current.deadline !== null && current.deadline <= Date.now() + context.faults.clockAheadMs;
        const answer = batchOutcome(request, current, isPast ? 'timedOut' : await carryOut(context, current));
        if (answer && !call.destroyed) call.write(answer);
      });
    });
  };
  return { append, batchAppend };
}

function batchOutcome(request: streams.BatchAppendReq, append: Arriving, outcome: Outcome): streams.BatchAppendResp | null {
  const answer = batchAnswer(request, append.stream);
  if (typeof outcome === 'object') {
    if (outcome.ok) return batchStored(answer, outcome);
    return batchRefused(answer, 'WrongExpectedVersion', 'WrongExpectedVersion', wrongVersion(append.expected, outcome.actual));
  }
  switch (outcome) {
    case 'silent':
      return null;
    case 'tooLarge':
      return batchRefused(
        answer,
        'MaximumAppendSizeExceeded',
        'Maximum Append Size Exceeded',
        new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES),
      );
    case 'deleted':
      return batchRefused(answer, 'StreamDeleted', 'Stream deleted', new sharedPb.StreamDeleted());
    case 'timedOut':
      return batchRefused(answer, 'Timeout', 'Timeout');
    case 'denied':
      return batchRefused(answer, 'AccessDenied', 'Access Denied');
    case 'unknown':
      return batchRefused(answer, 'Unknown', 'Unknown');
    case 'badRequest':
      return batchRefused(answer, 'BadRequest', 'BadRequest');
    case 'notReady':
      return batchRefused(answer, '', 'Server Is Not Ready');
    case 'busy':
      return batchRefused(answer, '', 'Server Is Busy');
  }
}
