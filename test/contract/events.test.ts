import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { space } from '../../src/contract/events/document.ts';
import { EVENTS } from '../../src/contract/events/index.ts';
import { LOOKING_EVENTS } from '../../src/contract/events/looking.ts';
import { PEOPLE_EVENTS } from '../../src/contract/events/people.ts';
import { PROJECT_EVENTS } from '../../src/contract/events/project.ts';
import { TELEMETRY_EVENTS, TOTALS_EVENTS } from '../../src/contract/events/telemetry.ts';
import { UPCASTS } from '../../src/log/upcasts.ts';
import { checkPublished } from '../support/published-events.ts';

/** The published format of events, by which other tools read logs. */

/** The names of staged spaces are the product's own. */
const SPACE = z
  .toJSONSchema(space, { unrepresentable: 'any' })
  .anyOf?.map((each) => each.pattern)
  .find((pattern) => pattern !== undefined);

const ALL = Object.entries({ ...EVENTS, ...PEOPLE_EVENTS, ...LOOKING_EVENTS, ...TELEMETRY_EVENTS, ...TOTALS_EVENTS });

test.each(ALL)('%s has the form of every version up to the one that is written', (_, { version, earlier, description }) => {
  expect(Object.keys(earlier).map(Number)).toEqual(Array.from({ length: version - 1 }, (_, index) => index + 1));
  expect(description).toMatch(/\.$/);
});

test('every version that was succeeded has a step to the next one', () => {
  const succeeded = ALL.flatMap(([type, { earlier }]) => Object.keys(earlier).map((version) => `${type} ${version}`));
  const steps = Object.entries(UPCASTS).flatMap(([type, each]) => Object.keys(each).map((version) => `${type} ${version}`));
  expect(succeeded.sort()).toEqual(steps.sort());
});

describe('every text says whether it names a player, is personal, or neither', () => {
  test.each(ALL)('in %s', (_, { data }) => {
    const unmarked: string[] = [];
    const walk = (schema: z.core.JSONSchema.BaseSchema, at: string, privacy: unknown): void => {
      const own = schema['privacy'] ?? privacy;
      const { type, properties = {}, items, additionalProperties, prefixItems = [], anyOf = [], oneOf = [] } = schema;
      const isFree = schema.const === undefined && schema.enum === undefined && schema.pattern !== SPACE;
      const holdsTexts = type === 'string' || (type === undefined && anyOf.length + oneOf.length === 0);
      if (isFree && holdsTexts && !['player', 'personal', 'neither'].includes(String(own))) unmarked.push(at);
      for (const [name, member] of Object.entries(properties)) walk(member as typeof schema, `${at}/${name}`, undefined);
      for (const part of [items, additionalProperties, ...prefixItems, ...anyOf, ...oneOf]) {
        if (typeof part === 'object') walk(part as typeof schema, `${at}/*`, own);
      }
    };
    walk(z.toJSONSchema(data, { unrepresentable: 'any' }), '', undefined);
    expect(unmarked).toEqual([]);
  });
});

test('an event whose data may not be forgotten holds nothing of a person', () => {
  for (const [type, { data }] of Object.entries(PROJECT_EVENTS)) {
    const schema = JSON.stringify(z.toJSONSchema(data, { unrepresentable: 'any' }));
    expect([type, /"privacy":"(?:player|personal)"/.test(schema)]).toEqual([type, false]);
  }
});

const written = { space: 'live', collection: 'heroes', key: 'p1', version: 1, document: { gold: 1 }, definition: 'd' };
const stored = (type: string, data: object, schemaVersion: number) => () =>
  checkPublished({ type, data: JSON.stringify(data), metadata: JSON.stringify({ schemaVersion }) });

test('an event that is another is told', () => {
  expect(stored('document.written', written, 1)).not.toThrow();
  expect(stored('document.written', { ...written, reached: ['gold'] }, 1)).not.toThrow();
  expect(stored('document.written', { ...written, $player: 'p1', $salt: 'AAAAAAAAAAAAAAAAAAAAAA' }, 1)).not.toThrow();
  expect(stored('document.written', { ...written, colour: 'red' }, 1)).toThrow('is not as published');
  expect(stored('document.written', { ...written, space: 'nextish' }, 1)).toThrow('is not as published');
  expect(stored('document.written', { ...written, ledger: [] }, 1)).toThrow('is not as published');
  expect(stored('document.written', written, 2)).toThrow('No version 2');
  expect(stored('document.wrote', written, 1)).toThrow('No event of the type');
});
