import { createRequire } from 'node:module';
import type * as shared from '@eventstore/db-client/generated/shared_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type * as statusTypes from '@eventstore/db-client/generated/status_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, status } from '@grpc/grpc-js';
import type { AppendResult, ExpectedRevision, NewEvent, RecordedEvent } from '../../../src/log/port.ts';

/** Converts the protocol's messages to and from the port's values. On this side the texts of events are Base64. */

const { ReadResp, BatchAppendResp, AppendResp } = streamsPb;
type Details = NonNullable<Parameters<statusTypes.Status['setDetails']>[0]>;

// The client's own copy of protobuf, which is no dependency of ours.
const fromClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
const { Any }: { Any: new () => Details } = fromClient('google-protobuf/google/protobuf/any_pb.js');
const { Empty }: { Empty: new () => NonNullable<Parameters<streams.BatchAppendResp.Success['setNoStream']>[0]> } = fromClient(
  'google-protobuf/google/protobuf/empty_pb.js',
);

/** An append that arrives in parts. */
export interface Arriving {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: NewEvent[];
  /** In a batched append: the time, unix ms, after which the server drops it. */
  readonly deadline: number | null;
  bytes: number;
}

type Options = streams.BatchAppendReq.Options | streams.AppendReq.Options;
type Message = streams.BatchAppendReq.ProposedMessage | streams.AppendReq.ProposedMessage;

export function nameOf(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

export function arriving(options: Options): Arriving {
  const revision = 'getStreamPosition' in options ? options.getStreamPosition() : options.getRevision();
  const expected = options.hasAny() ? 'any' : options.hasNoStream() ? 'none' : Number(revision);
  const deadline = 'getDeadline' in options ? (options.getDeadline()?.toDate().getTime() ?? null) : null;
  return { stream: nameOf(options.getStreamIdentifier()), expected, events: [], deadline, bytes: 0 };
}

export function addTo(append: Arriving, messages: readonly Message[]): void {
  for (const message of messages) {
    const type = message.getMetadataMap().get('type') ?? '';
    const [data, metadata] = [message.getData_asU8(), message.getCustomMetadata_asU8()];
    append.bytes += data.length + metadata.length + 2 * type.length;
    // The content type is stored with the type, because the store has no other place for it.
    const contentType = message.getMetadataMap().get('content-type') ?? '';
    append.events.push({
      id: message.getId()?.getString() ?? '',
      type: `${contentType} ${type}`,
      data: Buffer.from(data).toString('base64'),
      metadata: Buffer.from(metadata).toString('base64'),
    });
  }
}

export function batchAnswer(request: streams.BatchAppendReq, stream: string): streams.BatchAppendResp {
  const identifier = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));
  return new BatchAppendResp().setCorrelationId(request.getCorrelationId()).setStreamIdentifier(identifier);
}

export function batchStored(answer: streams.BatchAppendResp, result: AppendResult & { readonly ok: true }): streams.BatchAppendResp {
  const commit = result.position.toString();
  const success = new BatchAppendResp.Success();
  success.setPosition(new sharedPb.AllStreamPosition().setCommitPosition(commit).setPreparePosition(commit));
  if (result.revision < 0) success.setNoStream(new Empty());
  else success.setCurrentRevision(String(result.revision));
  return answer.setSuccess(success);
}

/** The refusal of an append: a status with details that say why. */
export function batchRefused(
  answer: streams.BatchAppendResp,
  name: 'WrongExpectedVersion' | 'StreamDeleted' | 'MaximumAppendSizeExceeded' | 'Timeout' | 'AccessDenied' | 'Unknown' | 'BadRequest' | '',
  message: string,
  details: { serializeBinary(): Uint8Array } = new sharedPb.Empty(),
): streams.BatchAppendResp {
  const any = new Any();
  any.pack(details.serializeBinary(), name === '' ? 'google.protobuf.Empty' : `event_store.client.${name}`);
  return answer.setError(new statusPb.Status().setMessage(message).setDetails(any));
}

export function wrongVersion(expected: ExpectedRevision, actual: number | 'none'): shared.WrongExpectedVersion {
  const wrong = new sharedPb.WrongExpectedVersion();
  if (actual === 'none') wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentStreamRevision(String(actual));
  if (expected === 'none') wrong.setExpectedNoStream(new Empty());
  else wrong.setExpectedStreamPosition(String(expected));
  return wrong;
}

/** The answer of the older append call, which has no other refusal than this. */
export function singleAnswer(result: AppendResult, expected: ExpectedRevision): streams.AppendResp {
  if (!result.ok) {
    const wrong = new AppendResp.WrongExpectedVersion();
    if (result.actual === 'none') wrong.setCurrentNoStream(new sharedPb.Empty());
    else wrong.setCurrentRevision(String(result.actual));
    if (expected === 'none') wrong.setExpectedNoStream(new sharedPb.Empty());
    else wrong.setExpectedRevision(String(expected));
    return new AppendResp().setWrongExpectedVersion(wrong);
  }
  const success = new AppendResp.Success();
  const commit = result.position.toString();
  success.setPosition(new AppendResp.Position().setCommitPosition(commit).setPreparePosition(commit));
  if (result.revision < 0) success.setNoStream(new sharedPb.Empty());
  else success.setCurrentRevision(String(result.revision));
  return new AppendResp().setSuccess(success);
}

export function eventMessage(event: RecordedEvent): streams.ReadResp {
  const [contentType = '', ...type] = event.type.split(' ');
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new sharedPb.UUID().setString(event.id))
    .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(event.position.toString())
    .setPreparePosition(event.position.toString())
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded.getMetadataMap().set('type', type.join(' ')).set('content-type', contentType).set('created', '16000000000000000');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(event.position.toString()));
}

export function streamNotFound(stream: string): streams.ReadResp {
  const identifier = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));
  return new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(identifier));
}

export function confirmation(): streams.ReadResp {
  return new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId('stand-in'));
}

export function checkpoint(commit: bigint, prepare: bigint): streams.ReadResp {
  return new ReadResp().setCheckpoint(new ReadResp.Checkpoint().setCommitPosition(String(commit)).setPreparePosition(String(prepare)));
}

/** The end of a call with an error, in the form in which the server marks it for its clients. */
export function callError(
  code: status,
  details: string,
  exception?: string,
  stream?: string,
): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  if (exception !== undefined) metadata.set('exception', exception);
  if (stream !== undefined) metadata.set('stream-name', stream);
  return { code, details, metadata };
}

export const NOT_READY = callError(status.UNKNOWN, 'Server Is Not Ready');

/** How a follower refuses a call that asks for the leader. */
export function notLeader(port: number): ReturnType<typeof callError> {
  const error = callError(status.NOT_FOUND, 'Leader info available', 'not-leader');
  error.metadata.set('leader-endpoint-host', '127.0.0.1');
  error.metadata.set('leader-endpoint-port', String(port));
  return error;
}
