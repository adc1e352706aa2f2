import { z } from 'zod';
import { DEFINITION_SHAPE } from './definition.ts';
import { alsoNamed, anyText, flag, httpStatus, json, map, NOTES, optional, text, word } from './member.ts';

/** Tests of endpoints. */

export const seed = z
  .looseObject({
    collections: optional(z.record(z.string(), z.record(z.string(), map)), 'Collection → key → document.'),
    values: optional(
      z.record(z.string(), z.union([map, z.array(map)])),
      'Group → entries that lie over those of the project, or table → the rows in place of its own.',
    ),
  })
  .meta({ id: 'Seed', description: 'Documents and game values that are there for this test alone.' });

export const expectation = z
  .looseObject({
    outcome: optional(word(['pass', 'fail', 'any']), 'A success, a rejection, or either. `fail` where a status of 400 or more is named.', {
      default: 'pass',
      code: 'INVALID_TEST_OUTCOME',
      expected: 'pass, fail or any',
    }),
    status: optional(httpStatus, 'The HTTP status.', { code: 'INVALID_STATUS', expected: 'a number from 200 to 599' }),
    body: optional(json, 'Members that the answer’s body has to hold.'),
  })
  .meta({ id: 'Expectation', description: 'What should come of the call.' });

const { sourceVersion, kind, id, name, description, notes, metadata } = DEFINITION_SHAPE;

export const test = z
  .looseObject({
    sourceVersion,
    kind,
    id,
    name,
    description,
    notes,
    metadata,
    endpoint: optional(text, 'Slug or id of the endpoint.'),
    slug: optional(text, 'The same as `endpoint`.'),
    input: optional(map, 'What it is called with.'),
    platformId: optional(z.union([text, z.number()]), 'The player. A made-up one when left out.'),
    asServer: optional(flag, 'As a dedicated server, with a secret key.', { default: false }),
    seed: optional(seed, 'Documents and game values that are there for this test alone.'),
    expect: optional(expectation, 'What should come of it.'),
    title: optional(anyText, 'For people.'),
  })
  .meta({ id: 'Test', description: 'Calls an endpoint and says what should come of it.' });

const written = z.strictObject(expectation.shape).meta({ description: 'What should come of the call.' });
alsoNamed.add(written, { pattern: NOTES });

/** A test as its author writes it. An unknown member of `expect` is misspelt, because it would be compared with nothing. */
export const writtenTest = test.extend({ expect: optional(written, 'What should come of it.') });
