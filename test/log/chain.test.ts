import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, NO_HASH, seal, verifyLink } from '../../src/log/chain.ts';
import type { NewEvent } from '../../src/log/port.ts';

const event = (metadata = '{"commandId":"c"}', data = '{"n":18446744073709551615}'): NewEvent => ({
  id: '0190a0a0-0000-7000-8000-000000000001',
  type: 'document.written',
  metadata,
  data,
});

const json = fc.json().map((text) => text.replaceAll('\n', ' '));
const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));

const hashed = (text: string) => createHash('sha256').update(text).digest('hex');
const chained = (before: string, { id, type, metadata, data }: NewEvent) => hashed([before, id, type, metadata, hashed(data)].join('\n'));

test('the hash is SHA-256 over the hash before and the event, a line each, with a commitment to its data, and ends the metadata', () => {
  const sealed = seal('before', event());
  const expected = chained('before', event());
  expect(sealed.hash).toBe(expected);
  expect(sealed.event).toEqual(event(`{"commandId":"c","seal":"${expected}"}`));
  expect(hashOf(sealed.event.metadata)).toBe(expected);
});

test('it is the same hash for short and long events, whatever their letters', () => {
  for (const letters of ['a', 'é', '😀', '\ud800']) {
    for (const length of [0, 1, 1_000, 5_300, 5_500, 20_000]) {
      const data = JSON.stringify(letters.repeat(length));
      expect(seal('before', event(undefined, data)).hash).toBe(chained('before', event(undefined, data)));
    }
  }
});

test('metadata without members can be sealed', () => {
  const sealed = seal(NO_HASH, event('{}'));
  expect(JSON.parse(sealed.event.metadata)).toEqual({ seal: sealed.hash });
  expect(verifyLink(NO_HASH, sealed.event)).toBe(true);
});

test('every sealed event verifies, whatever its JSON', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), object, json, (before, metadata, data) => {
      const sealed = seal(before, event(metadata, data));
      expect(JSON.parse(sealed.event.metadata)).toEqual({ ...JSON.parse(metadata), seal: sealed.hash });
      expect(hashOf(sealed.event.metadata)).toBe(sealed.hash);
      expect(verifyLink(before, sealed.event)).toBe(true);
    }),
  );
});

test('any alteration breaks the link', () => {
  const { event: sealed, hash } = seal(NO_HASH, event());
  const altered: NewEvent[] = [
    { ...sealed, id: randomUUID() },
    { ...sealed, type: 'document.deleted' },
    { ...sealed, data: '{"n":18446744073709551616}' },
    { ...sealed, data: '{ "n":18446744073709551615}' },
    { ...sealed, metadata: sealed.metadata.replace('"c"', '"d"') },
    {
      ...sealed,
      metadata: sealed.metadata.replace(
        hash,
        hash.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      ),
    },
    event(),
  ];
  for (const one of altered) expect(verifyLink(NO_HASH, one)).toBe(false);
  expect(verifyLink(hash, sealed)).toBe(false);
});

test('removing or reordering events breaks the chain', () => {
  const chain: { event: NewEvent; hash: string }[] = [];
  for (let n = 0; n < 5; n++) chain.push(seal(chain.at(-1)?.hash ?? NO_HASH, { ...event(), id: randomUUID() }));
  const holds = (list: typeof chain) => list.every((link, index) => verifyLink(list[index - 1]?.hash ?? NO_HASH, link.event));
  expect(holds(chain)).toBe(true);
  expect(holds(chain.toSpliced(2, 1))).toBe(false);
  expect(holds([...chain.slice(0, 2), ...chain.slice(2).reverse()])).toBe(false);
});

test('text that only looks like a seal is none', () => {
  for (const metadata of ['{}', `{"a":{"seal":"${'a'.repeat(64)}"}}`, `{"seal":"${'A'.repeat(64)}"}`, `{"seal":"${'a'.repeat(63)}"}`]) {
    expect(hashOf(metadata)).toBeNull();
  }
});

test('a part with a line break is refused', () => {
  expect(() => seal(NO_HASH, { ...event(), type: 'a\nb' })).toThrow();
  expect(() => seal(NO_HASH, event('{\n}'))).toThrow();
});
