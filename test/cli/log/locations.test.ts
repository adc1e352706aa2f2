import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { locationText, parseLocation } from '../../../src/cli/log/locations.ts';

test('a location is recognised by its scheme, and shown without its password', () => {
  expect(parseLocation('data:./x')).toEqual({ kind: 'data', dir: resolve('x') });
  expect(parseLocation('file:b.ndjson.gz')).toEqual({ kind: 'file', path: resolve('b.ndjson.gz') });
  for (const text of ['file:/b/c%20d', 'file:///b/c%2520d']) expect(parseLocation(text)).toEqual({ kind: 'file', path: '/b/c%20d' });
  expect(parseLocation('esdb://admin:changeit@host:2113?tls=false').kind).toBe('eventstore');
  const postgres = parseLocation('postgres://me:secret@host:5432/db');
  expect(locationText(postgres)).toBe('postgres://me:***@host:5432/db');
});

test('any other text is refused, and a password in it is not shown', () => {
  for (const text of ['', 'b.ndjson.gz', 'data:', 'file:', 'mysql://me:secret@host/db', 'postgres']) {
    expect(() => parseLocation(text)).toThrow(/allowed are/);
    expect(() => parseLocation(text)).not.toThrow(/secret/);
  }
});
