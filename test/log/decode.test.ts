import { expect, test } from 'vitest';
import { printObject } from '../../src/kernel/json.ts';
import { NO_HASH, seal, verifyLink } from '../../src/log/chain.ts';
import { committed, redacted } from '../../src/log/commitment.ts';
import { BrokenChain, decodeProjectEvent, LinkedDecoder, readProjectEvent, rememberDecoded, UnknownEvent } from '../../src/log/decode.ts';
import type { NewEvent, RecordedEvent } from '../../src/log/port.ts';

function recorded(type: string, data: string, schemaVersion = 1): RecordedEvent {
  const metadata = JSON.stringify({ commandId: 'c', cause: 'test', actor: { kind: 'operator' }, schemaVersion, recordedAt: 5 });
  return { ...seal(NO_HASH, { id: 'e1', type, data, metadata }).event, stream: 'project-p', revision: 4, position: 9n };
}

test('an event carries its revision, its metadata and its chain hash', () => {
  const event = recorded('key.revoked', '{"keyId":"k1"}');
  expect(readProjectEvent(event)).toMatchObject({
    type: 'key.revoked',
    revision: 4,
    id: 'e1',
    data: { keyId: 'k1' },
    metadata: { recordedAt: 5 },
  });
  expect(readProjectEvent(event).hash).toMatch(/^[0-9a-f]{64}$/);
});

test('an unknown type and a newer version are refused, and both are named', () => {
  expect(() => readProjectEvent(recorded('key.melted', '{}'))).toThrow(UnknownEvent);
  expect(() => readProjectEvent(recorded('toString', '{}'))).toThrow(UnknownEvent);
  expect(() => readProjectEvent(recorded('key.revoked', '{}', 2))).toThrow(/project-p@4 is a key.revoked of schema version 2/);
});

test('an older version is brought up step by step: the worked example of an upcast', () => {
  const upcasts = { 'key.revoked': { 0: (data: object) => ({ ...data, one: 1 }), [-1]: (data: object) => ({ ...data, first: true }) } };
  expect(readProjectEvent(recorded('key.revoked', '{"keyId":"k"}', -1), upcasts).data).toEqual({ keyId: 'k', first: true, one: 1 });
});

test('an event without a seal is another program’s: it changes nothing, whatever it says', () => {
  for (const metadata of ['null', '', '{"schemaVersion":1}', 'no JSON', '{"seal":"short"}']) {
    const read = readProjectEvent({ ...recorded('key.revoked', 'no JSON'), metadata });
    expect(read).toMatchObject({ type: 'log.foreign', data: {}, revision: 4, hash: 'foreign' });
  }
});

test('an event of the first format is refused by name, and is not taken for another program’s', () => {
  const first = { ...recorded('key.revoked', '{}'), metadata: `{"schemaVersion":1,"hash":"${'a'.repeat(64)}"}` };
  for (const read of [() => readProjectEvent(first), () => new LinkedDecoder(NO_HASH).take(first)]) {
    expect(read).toThrow(/project-p@4: The log has its first format/);
  }
});

test('who caused an event stands in the data, which can be forgotten, and is read as part of the actor; the salt is no part of what it says', () => {
  const data = committed('{"keyId":"k1"}', '7656');
  expect(data).toMatch(/^\{"keyId":"k1","\$player":"7656","\$salt":"[\w-]{22}"\}$/);
  expect(committed('{}', undefined)).toMatch(/^\{"\$salt":"[\w-]{22}"\}$/);
  expect(committed('{}', undefined)).not.toBe(committed('{}', undefined));
  const read = readProjectEvent(recorded('key.revoked', data));
  expect(read).toMatchObject({ data: { keyId: 'k1' }, metadata: { actor: { kind: 'operator', player: '7656' } } });
  expect(Object.keys(read.data)).toEqual(['keyId']);
});

test('data that were replaced by their commitment keep their place in the chain, and say nothing any more', () => {
  const event = recorded('session.revoked', committed('{"family":"f","sessionIds":[]}', 'p1'));
  const forgotten = { ...event, data: redacted(event.data) };
  expect(forgotten.data).toMatch(/^\{"\$redacted":"[0-9a-f]{64}"\}$/);
  expect(redacted(forgotten.data)).toBe(forgotten.data);
  expect([verifyLink(NO_HASH, event), verifyLink(NO_HASH, forgotten)]).toEqual([true, true]);
  expect(verifyLink(NO_HASH, { ...event, data: redacted('{"family":"g"}') })).toBe(false);
  expect(new LinkedDecoder(NO_HASH).take(forgotten)).toMatchObject({ type: 'log.redacted', data: {}, revision: 4 });
});

test('what is nobody’s own cannot be forgotten: a key stays revoked', () => {
  const event = recorded('key.revoked', committed('{"keyId":"k1"}', undefined));
  expect(() => new LinkedDecoder(NO_HASH).take({ ...event, data: redacted(event.data) })).toThrow(BrokenChain);
});

test('a sealed event must link to the sealed one before it; what lies between and carries no seal is passed over', () => {
  const first = seal(NO_HASH, { id: 'a', type: 'key.revoked', data: '{"keyId":"k"}', metadata: '{"schemaVersion":1}' });
  const second = seal(first.hash, { id: 'b', type: 'key.revoked', data: '{"keyId":"l"}', metadata: '{"schemaVersion":1}' });
  const at = (event: NewEvent, revision: number): RecordedEvent => ({ ...event, stream: 'project-p', revision, position: 1n });
  const foreign = at({ id: 'f', type: 'x', data: '', metadata: 'null' }, 1);
  const chain = new LinkedDecoder(NO_HASH);
  expect([at(first.event, 0), foreign, at(second.event, 2)].map((event) => chain.take(event).type)).toEqual([
    'key.revoked',
    'log.foreign',
    'key.revoked',
  ]);
  expect(() => new LinkedDecoder(NO_HASH).take(at(second.event, 1))).toThrow(BrokenChain);
  expect(() => new LinkedDecoder(first.hash).take(at({ ...second.event, data: '{"keyId":"m"}' }, 1))).toThrow(/project-p@1 does not match/);
});

test('an event that this process sealed is not decoded again, except by readers that prove the log', () => {
  const event = recorded('document.written', '{"space":"live","collection":"c","key":"k","version":1,"changes":[["n",1]],"definition":""}');
  const sealed = { ...readProjectEvent(event), after: printObject({ n: 2 }) };
  rememberDecoded(sealed, event);
  expect(decodeProjectEvent(event)).toBe(sealed);
  expect(readProjectEvent(event).after).toBe(undefined);
  expect(decodeProjectEvent({ ...event, revision: 5 }).after).toBe(undefined);
  const other = seal('0'.repeat(64), { ...event, metadata: event.metadata.replace(/,"seal":"\w+"/, '') }).event;
  expect(decodeProjectEvent({ ...event, ...other }).after).toBe(undefined);
});
