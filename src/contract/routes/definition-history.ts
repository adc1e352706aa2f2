import { z } from 'zod';
import { managementKeys, STAGED_READ } from '../credentials.ts';
import { DEFINITION_KINDS } from '../events/project.ts';
import { AT, AT_ERRORS, AT_HEADER, READ_HEADERS, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { asOf, count, instant, ok, ticketSaid } from '../values.ts';
import { betweenMoments, by, changedFields, moreFields, pageOfChanges, when } from './history.ts';
import { paged } from './managed.ts';
import { DifferingDefinition, slotsChanged } from './release.ts';

/** What happened to definitions and game values, and what differs between two moments. */

const opens = z.array(z.string()).optional().meta({ description: 'What it opens to more callers, a sentence each' });

const Change = z
  .strictObject({
    ...when,
    action: z.enum(['publish', 'promote', 'rollback']).meta({ description: 'What changed it, as `publishes` lists it at this revision' }),
    change: z
      .enum(['add', 'change', 'delete', 'none'])
      .meta({ description: 'What became of it in the target. `none`: the same as before, such as what was staged and is live now' }),
    message: z.string().optional().meta({ description: 'Why, as `message` of the request said' }),
    ticket: ticketSaid,
    restored: z.int().optional().meta({ description: 'Of a rollback: the revision that live shows again; -1: before any' }),
    ...by,
    fields: changedFields,
    more: moreFields,
    opens,
  })
  .meta({ id: 'DefinitionChange', description: 'A publish, promotion or rollback that changed a definition or game value' });

const History = z
  .strictObject({
    ok,
    changes: z.array(Change),
    collection: z.string().optional().meta({ description: 'Of a game value: the collection that holds it, whose changes these are' }),
    before: pageOfChanges.before,
    at: asOf,
  })
  .meta({ id: 'DefinitionHistory', description: 'A page of changes' });

const side = z.strictObject({ revision: count, time: instant, exists: z.boolean() });
const Comparison = z
  .strictObject({ ok, from: side, to: side, fields: changedFields, more: moreFields, opens })
  .meta({ id: 'DefinitionComparison', description: 'What differs' });

const moment = z.strictObject({ revision: count, time: instant });
const ComparisonOfAll = z
  .strictObject({
    ok,
    from: moment,
    to: moment,
    changes: z.array(DifferingDefinition).meta({
      description: 'Definitions that differ. `fields` stand at one that is on both sides, unless too much was compared already',
    }),
  })
  .meta({ id: 'DefinitionsComparison', description: 'What differs in all that a game is made of' });

const about = {
  family: 'manage',
  tag: 'Definitions',
  method: 'GET',
  // No data of players is in it: who may read what is of a kind, which the use case asks, may read what it was.
  keys: { ...managementKeys('r', 'history'), ofPeople: null },
  headers: TARGET,
  idempotent: false,
} as const;
const errors = ['NOT_FOUND', 'INVALID_REQUEST', ...AT_ERRORS] as const;
const ofChanges = {
  ...about,
  query: { ...AT, ...paged },
  answers: { 200: History },
  answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
  errors,
} as const;
const ofComparison = { ...about, query: betweenMoments, answers: { 200: Comparison }, answerHeaders: READ_HEADERS, errors } as const;

const params = {
  kind: z.enum(DEFINITION_KINDS).meta({ description: 'As `publishes` and `diff` name it', examples: ['collection'] }),
  id: z
    .string()
    .min(1)
    .meta({ description: 'Id of the definition, or its slug or name; `*` of game values, rules and tests', examples: ['saves'] }),
} as const;
const valueParams = {
  value: z
    .string()
    .min(1)
    .meta({ description: 'Id of a group or table of game values', examples: ['shop'] }),
} as const;
const holder = {
  collection: z
    .string()
    .min(1)
    .meta({ description: 'The collection that holds it; left out: whichever does at that moment, else the document of game values' }),
} as const;

const APART = [
  'With the target `next` these are the changes of what is staged, and the promotions that ended it; without it those of live: publishes,',
  'promotions and rollbacks. A key needs `r` on the scope of the kind, too; a person needs that alone.',
].join('\n');

const PRICE = { path: '/rows/0/price', label: 'sword › price', before: 30, after: 35 };
const CHANGED = {
  revision: 12,
  at: '2026-03-01T12:00:00.000Z',
  action: 'publish',
  change: 'change',
  message: 'Summer prices',
  actor: { kind: 'secret', keyId: 'k1', label: 'first' },
  cause: 'game-values.put',
  commandId: 'req_1',
} as const;
const AT_12 = { revision: 12, time: '2026-03-01T12:00:00.000Z' };
const SIDES = { from: { revision: 8, time: '2026-03-01T11:00:00.000Z', exists: true }, to: { ...AT_12, exists: true } } as const;

export const definitionHistory = {
  changes: route({
    ...ofChanges,
    id: 'readDefinitionHistory',
    path: '/:project/definitions/:kind/:id/history',
    summary: 'Every publish, promotion and rollback that changed a definition, newest first: when, who, why, and which fields',
    description: APART,
    params,
    example: {
      params: { kind: 'collection', id: 'saves' },
      query: { limit: '10' },
      answer: {
        ok: true,
        changes: [{ ...CHANGED, cause: 'collection.put', fields: [{ path: '/maxRecords', label: 'maxRecords', before: 5, after: 6 }] }],
        before: null,
        at: AT_12,
      },
    },
  }),
  compare: route({
    ...ofComparison,
    id: 'compareDefinition',
    path: '/:project/definitions/:kind/:id/compare',
    summary: 'What differs in a definition between two moments, as the target showed it at each',
    description: 'A key needs `r` on the scope of the kind, too; a person needs that alone.',
    params,
    example: {
      params: { kind: 'collection', id: 'saves' },
      answer: { ok: true, ...SIDES, fields: [{ path: '/maxRecords', label: 'maxRecords', before: 5, after: 6 }] },
    },
  }),
  compareAll: route({
    ...ofComparison,
    keys: { ...managementKeys('r', 'history', ...STAGED_READ.needs.scopes), ofPeople: STAGED_READ.needs },
    id: 'compareDefinitions',
    path: '/:project/definitions/compare',
    summary: 'What differs in all definitions between two moments, such as two publishes, field by field',
    description: [
      'A moment that is the revision of a publish shows what it made. `to` left out: now. With `toTarget=next`, live of then beside what is staged.',
      'Saved tests are no part of it. 200 fields of a definition at most; beyond 4 million characters of compared texts, definitions are listed',
      'without their fields.',
    ].join('\n'),
    query: {
      ...betweenMoments,
      toTarget: z.enum(['live', 'next']).meta({ description: 'The target at `to`, where it is another than that of the request' }),
    },
    answers: { 200: ComparisonOfAll },
    example: {
      answer: {
        ok: true,
        from: { revision: 8, time: '2026-03-01T11:00:00.000Z' },
        to: AT_12,
        changes: [slotsChanged(5, 6)],
      },
    },
  }),
  valueChanges: route({
    ...ofChanges,
    id: 'readGameValueHistory',
    path: '/:project/game-values/:value/history',
    summary: 'Every publish that changed a group or table of game values, newest first: who changed the price',
    description: [
      APART,
      'A page looks at 400 publishes of the definition that holds the value at most: with many others between, it may be short or empty, and',
      '`before` goes on.',
    ].join('\n'),
    params: valueParams,
    query: { ...ofChanges.query, ...holder },
    example: {
      params: { value: 'shop' },
      query: { limit: '10' },
      answer: { ok: true, changes: [{ ...CHANGED, fields: [PRICE] }], before: null, at: AT_12 },
    },
  }),
  compareValue: route({
    ...ofComparison,
    id: 'compareGameValue',
    path: '/:project/game-values/:value/compare',
    summary: 'What differs in a group or table of game values between two moments',
    description: 'A key needs `r` on the scope of the kind, too; a person needs that alone.',
    params: valueParams,
    query: { ...betweenMoments, ...holder },
    example: { params: { value: 'shop' }, answer: { ok: true, ...SIDES, fields: [PRICE] } },
  }),
} as const;
