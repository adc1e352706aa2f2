import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parsePlace, placeText } from '../../../src/cli/log/places.ts';

test('a place is told by its scheme, and shown without its password', () => {
  expect(parsePlace('data:./x')).toEqual({ kind: 'data', dir: resolve('x') });
  expect(parsePlace('file:b.ndjson.gz')).toEqual({ kind: 'file', path: resolve('b.ndjson.gz') });
  for (const text of ['file:/b/c%20d', 'file:///b/c%2520d']) expect(parsePlace(text)).toEqual({ kind: 'file', path: '/b/c%20d' });
  expect(parsePlace('esdb://admin:changeit@host:2113?tls=false').kind).toBe('eventstore');
  const postgres = parsePlace('postgres://me:secret@host:5432/db');
  expect(placeText(postgres)).toBe('postgres://me:***@host:5432/db');
});

test('anything else is refused, and a password in it is not told', () => {
  for (const text of ['', 'b.ndjson.gz', 'data:', 'file:', 'mysql://me:secret@host/db', 'postgres']) {
    expect(() => parsePlace(text)).toThrow(/allowed are/);
    expect(() => parsePlace(text)).not.toThrow(/secret/);
  }
});
