import { z } from 'zod';
import { definition } from './definition.ts';
import { documentSchema } from './field.ts';
import { constants, tables } from './game-values.ts';
import { flag, optional, wholeNumber, word } from './member.ts';

/** Collections: documents of players, or shared ones, with their access and their schema. */

export const COLLECTION_TYPES = ['per-platformid', 'global'] as const;
export const OPEN_TO = ['public', 'owner', 'endpoints'] as const;

const openTo = (what: string) =>
  optional(word(OPEN_TO), `Who may ${what}: games, the player whose it is, or endpoints and servers only.`, {
    code: 'ACCESS',
    expected: 'public, owner or endpoints',
  });

export const access = z
  .strictObject({ read: openTo('read'), write: openTo('write') })
  .meta({ id: 'Access', description: 'Who may reach a collection. What is left out is as `accessMode` has it.' });

/** An unknown mode counts as missing. */
const saveMode = z.preprocess(
  (value) =>
    typeof value === 'string' && value.trim() !== '' ? value.trim().toLowerCase() : typeof value === 'number' ? value : undefined,
  z.enum(['none', 'player', 'collection']).optional(),
);

/** Saves that a collection accepts in a day. */
export const dailySaves = z
  .looseObject({
    mode: optional(saveMode, 'Whom the limit is for: nobody, each player, or all together.', {
      default: 'none',
    }),
    savesPerDay: optional(wholeNumber(1, 10_000_000).nullable(), 'The most saves in a day (UTC).', { default: 8640 }),
  })
  .meta({ id: 'DailySaves', description: 'How many saves are taken in a day.' });

const switched = (description: string) => optional(flag, description, { default: false, code: 'INVALID_FLAG', expected: 'true or false' });

export const collection = definition('Collection', 'Documents of players, or shared ones.', {
  schema: optional(documentSchema, 'What documents may hold. Without one everything is taken.'),
  fields: optional(documentSchema, 'The same as `schema`.'),
  collectionType: optional(
    z.union([word(COLLECTION_TYPES), word(['per-steamid', 'player', 'per-player'])]),
    '`per-platformid`: a document per player, under the player’s id. `global`: shared documents, and records that are appended.',
    { default: 'per-platformid' },
  ),
  accessMode: optional(word(['public', 'endpoint', 'private']), '`public`: games read and write; else endpoints and servers only.', {
    default: 'endpoint',
    code: 'ACCESS_MODE',
    expected: 'public, endpoint or private',
  }),
  access: optional(access, 'Who may read and who may write.'),
  visibility: optional(word(['public', 'private']), '`public`: games see the constants and tables.', { default: 'private' }),
  rateLimits: optional(dailySaves, 'How many saves are taken in a day.', {
    code: 'INVALID_RATE_LIMITS',
    expected: 'a mode: none, player or collection with savesPerDay',
  }),
  rateLimitAction: optional(word(['reject', 'clamp']), 'Kept for editors: what a limit does is said by its rule.', {
    code: 'INVALID_RATE_LIMIT_ACTION',
    expected: 'reject or clamp',
  }),
  webhookOnRateLimit: switched('Kept for editors.'),
  maxRecords: optional(wholeNumber(1, 50), 'Save slots of a player. 1: a single document.', {
    default: 1,
    code: 'INVALID_MAX_RECORDS',
    expected: 'a number from 1 to 50',
  }),
  allowRecordDelete: switched('Games that may write may delete, too.'),
  requireSaveVersion: switched('A write must name the version that it is based on, where the project sets `strictSaveVersion`.'),
  publicAppend: switched('Games that may write may append to a global collection.'),
  history: optional(word(['owner', 'keys']), 'Who may read what its data were: the player whose they are, too, or secret keys only.', {
    default: 'keys',
  }),
  constants: optional(constants, 'Game values that belong to this collection.'),
  tables: optional(tables, 'Tables of game values that belong to this collection.'),
  enabled: optional(flag, 'Kept for editors.'),
});
