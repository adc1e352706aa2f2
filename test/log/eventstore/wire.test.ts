import { randomUUID } from 'node:crypto';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '../../../src/log/eventstore/wire.ts';
import { printEvents, printingService } from '../../../src/log/eventstore/wire-append.ts';

/** Messages that are parsed and printed here are compared with the client's generated code. */

const place = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const text = fc.string({ unit: 'binary' }).map((value) => Buffer.from(value).toString('utf8'));
const event = fc.record({
  id: fc.uuid(),
  type: text,
  stream: text.filter((name) => name !== ''),
  revision: place,
  position: place,
  metadata: fc.uint8Array({ maxLength: 300 }),
  data: fc.uint8Array({ maxLength: 20_000 }),
});

test('an event is read as the generated code printed it, for any texts and numbers', () => {
  fc.assert(
    fc.property(event, fc.boolean(), ({ id, type, stream, revision, position, metadata, data }, isLink) => {
      const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent()
        .setId(new sharedPb.UUID().setString(id))
        .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)))
        .setStreamRevision(String(revision))
        .setPreparePosition(String(position))
        .setCommitPosition(String(position))
        .setCustomMetadata(metadata)
        .setData(data);
      recorded.getMetadataMap().set('created', '16000000000000000').set('type', type).set('content-type', 'application/json');
      const resolved = new streamsPb.ReadResp.ReadEvent().setCommitPosition(String(position));
      const message = new streamsPb.ReadResp().setEvent(isLink ? resolved.setLink(recorded) : resolved.setEvent(recorded));
      const read = readMessage(Buffer.from(message.serializeBinary()));
      const parts = { metadata: Buffer.from(metadata), data: Buffer.from(data) };
      expect(read).toEqual({ event: { id, type, stream, revision, position, ...parts }, passed: null });
    }),
  );
});

test('the checkpoint of a subscription is read exactly; other messages carry neither event nor checkpoint', () => {
  fc.assert(
    fc.property(place, place, (commit, prepare) => {
      const checkpoint = new streamsPb.ReadResp.Checkpoint().setCommitPosition(String(commit)).setPreparePosition(String(prepare));
      const bytes = new streamsPb.ReadResp().setCheckpoint(checkpoint).serializeBinary();
      expect(readMessage(Buffer.from(bytes))).toEqual({ event: null, passed: { commit, prepare } });
    }),
  );
  const confirmed = new streamsPb.ReadResp().setConfirmation(new streamsPb.ReadResp.SubscriptionConfirmation().setSubscriptionId('a'));
  const nothing = { event: null, passed: null };
  expect(readMessage(Buffer.from(confirmed.serializeBinary()))).toEqual(nothing);
  expect(readMessage(Buffer.from(new streamsPb.ReadResp().setLastStreamPosition('7').serializeBinary()))).toEqual(nothing);
});

test('truncated bytes and bytes of no message are an error and never an event', () => {
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent()
    .setId(new sharedPb.UUID().setString(randomUUID()))
    .setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from('a')))
    .setData(Buffer.alloc(200));
  const whole = Buffer.from(new streamsPb.ReadResp().setEvent(new streamsPb.ReadResp.ReadEvent().setEvent(recorded)).serializeBinary());
  for (let length = 1; length < whole.length; length++) expect(() => readMessage(whole.subarray(0, length))).toThrow('the log');
});

type Serialize = (request: InstanceType<typeof streamsPb.BatchAppendReq>) => Buffer;

test('events are printed as the generated code reads them, after the rest of the append', () => {
  let serialize: Serialize | undefined;
  const service = printingService({
    makeBidiStreamRequest: (_path: string, given: Serialize) => {
      serialize = given;
    },
  }) as unknown as { batchAppend(): void };
  service.batchAppend();
  const contentType = fc.constantFrom('application/json' as const, 'application/octet-stream' as const);
  const data = fc.oneof(text, fc.constant('x'.repeat(20_000)));
  const events = fc.array(fc.record({ id: fc.uuid(), type: text, metadata: text, data, contentType }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(events, (given) => {
      const { placeholder: standIn, forget } = printEvents(given);
      const message = new streamsPb.BatchAppendReq.ProposedMessage().setId(new sharedPb.UUID().setString(standIn.id));
      const request = () => new streamsPb.BatchAppendReq().setIsFinal(true).setProposedMessagesList([message]);
      const read = streamsPb.BatchAppendReq.deserializeBinary(serialize?.(request()) ?? new Uint8Array());
      forget();
      expect(read.getIsFinal()).toBe(true);
      const found = read.getProposedMessagesList().map((one) => ({
        id: one.getId()?.getString(),
        type: one.getMetadataMap().get('type'),
        contentType: one.getMetadataMap().get('content-type'),
        metadata: Buffer.from(one.getCustomMetadata_asU8()).toString('utf8'),
        data: Buffer.from(one.getData_asU8()).toString('utf8'),
      }));
      expect(found).toEqual(given);
      // Once forgotten, it is sent as it is, with an id that no server takes.
      const late = streamsPb.BatchAppendReq.deserializeBinary(serialize?.(request()) ?? new Uint8Array());
      expect(late.getProposedMessagesList().map((one) => one.getId()?.getString())).toEqual([standIn.id]);
    }),
  );
});
