import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EVENTS } from '../../src/contract/events/index.ts';
import { LOOKING_EVENTS } from '../../src/contract/events/looking.ts';
import { PEOPLE_EVENTS } from '../../src/contract/events/people.ts';
import { SCHEMA_VERSIONS } from '../../src/domain/events.ts';
import { LOOKING_VERSIONS } from '../../src/domain/looking/events.ts';
import { PEOPLE_VERSIONS } from '../../src/domain/people/events.ts';
import { TELEMETRY_VERSIONS } from '../../src/domain/telemetry/events.ts';
import { TOTALS_VERSIONS } from '../../src/domain/telemetry/totals.ts';

/** Compares docs/auditing.md with the events that it describes. */

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/auditing.md'), 'utf8');
const rows = [...PAGE.matchAll(/^\| `([\w.]+)` \| (\d+) \|(?: (.*) \|)?$/gm)];

test('every type of event stands there, with the version that is written', () => {
  const listed = Object.fromEntries(rows.map(([, type, version]) => [type, Number(version)]));
  expect(listed).toEqual({ ...SCHEMA_VERSIONS, ...PEOPLE_VERSIONS, ...LOOKING_VERSIONS, ...TELEMETRY_VERSIONS, ...TOTALS_VERSIONS });
});

describe('its members', () => {
  test.each(Object.entries({ ...EVENTS, ...PEOPLE_EVENTS, ...LOOKING_EVENTS }))('of %s stand there', (type, { data }) => {
    const text = rows.find(([, name]) => name === type)?.[3] ?? '';
    const named = new Set([...text.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+\??)`/g)].map(([, name]) => name));
    expect([...named].sort()).toEqual([...membersOf(data)].sort());
  });
});

test('each script has at most 40 lines', () => {
  for (const [, script = ''] of PAGE.matchAll(/^```(?:js|sql)\n([\s\S]*?)^```$/gm)) {
    expect(script.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  }
});

/** The members of an event's data, with `?` for those that may be missing. */
function membersOf(data: z.ZodType): ReadonlySet<string> {
  const choices = formsOf(z.toJSONSchema(data, { unrepresentable: 'any' }));
  const all = choices.flatMap(({ properties = {} }) => Object.keys(properties));
  return new Set(all.map((name) => (choices.every(({ required = [] }) => required.includes(name)) ? name : `${name}?`)));
}

function formsOf(schema: z.core.JSONSchema.BaseSchema): readonly z.core.JSONSchema.BaseSchema[] {
  const choices = schema.anyOf ?? schema.oneOf;
  return choices === undefined ? [schema] : choices.flatMap((each) => (typeof each === 'object' ? formsOf(each) : []));
}
