import { expect, test } from 'vitest';
import { EVENTS } from '../../src/contract/events/index.ts';
import { TELEMETRY_EVENTS, TOTALS_EVENTS } from '../../src/contract/events/telemetry.ts';
import { UPCASTS } from '../../src/log/upcasts.ts';
import { checkPublished } from '../support/published-events.ts';

/** The published format of events, by which other tools read logs. */

const ALL = Object.entries({ ...EVENTS, ...TELEMETRY_EVENTS, ...TOTALS_EVENTS });

test.each(ALL)('%s has the form of every version up to the one that is written', (_, { version, earlier, description }) => {
  expect(Object.keys(earlier).map(Number)).toEqual(Array.from({ length: version - 1 }, (_, index) => index + 1));
  expect(description).toMatch(/\.$/);
});

test('every version that was succeeded has a step to the next one', () => {
  const succeeded = ALL.flatMap(([type, { earlier }]) => Object.keys(earlier).map((version) => `${type} ${version}`));
  const steps = Object.entries(UPCASTS).flatMap(([type, each]) => Object.keys(each).map((version) => `${type} ${version}`));
  expect(succeeded.sort()).toEqual(steps.sort());
});

const written = { space: 'live', collection: 'heroes', key: 'p1', version: 1, document: { gold: 1 }, definition: 'd' };
const stored = (type: string, data: object, schemaVersion: number) => () =>
  checkPublished({ type, data: JSON.stringify(data), metadata: JSON.stringify({ schemaVersion }) });

test('an event that is another is told', () => {
  expect(stored('document.written', { ...written, told: null }, 2)).not.toThrow();
  expect(stored('document.written', written, 1)).not.toThrow();
  expect(stored('document.written', { ...written, told: null }, 1)).toThrow('is not as published');
  expect(stored('document.written', { ...written, colour: 'red' }, 2)).toThrow('is not as published');
  expect(stored('document.written', { ...written, space: 'nextish' }, 2)).toThrow('is not as published');
  expect(stored('document.written', { ...written, reached: ['gold'] }, 3)).not.toThrow();
  expect(stored('document.written', written, 4)).toThrow('No version 4');
  expect(stored('document.wrote', written, 1)).toThrow('No event of the type');
});
