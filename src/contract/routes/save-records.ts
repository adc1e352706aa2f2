import { z } from 'zod';
import { READ_DOCUMENTS, RECORD_KEYS } from '../credentials.ts';
import { AS_PLAYER, AT, AT_ERRORS, AT_HEADER, AT_POSITION, READ_HEADERS, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, asOf, instant, ok } from '../values.ts';
import { ACCESS, Done } from './documents.ts';

const SaveRecord = z
  .object({
    recordId: z.string(),
    recordName: z.string(),
    createdAt: instant,
    updatedAt: instant.meta({ description: 'Of the last rename or save' }),
    isLegacy: z.literal(false),
  })
  .catchall(anyJson)
  .meta({
    id: 'SaveRecord',
    description: 'A save slot. With `WIRE_NAMES=published` every member comes a second time with a capital first letter (`RecordId`)',
  });

const SaveRecords = z
  .strictObject({ ok, records: z.array(SaveRecord), maxRecords: z.int().min(1), at: asOf })
  .meta({ id: 'SaveRecords', description: 'The save slots of a player, oldest first' });

const NamedRecord = z
  .strictObject({ ok, recordId: z.string(), recordName: z.string() })
  .meta({ id: 'NamedRecord', description: 'The record as it is named now' });

const RecordName = z
  .object({ recordName: z.string().optional().meta({ description: 'Trimmed and cut to 64 characters' }) })
  .catchall(anyJson)
  .meta({ id: 'RecordName', description: 'What to call a save record' });

const headers = { ...AS_PLAYER, ...TARGET } as const;
const RECORD_ALSO = ['storage-api', 'storage-v1'] as const;

export const saveRecords = {
  list: route({
    id: 'listSaveRecords',
    method: 'GET',
    path: '/:project/:collection/:key/records',
    family: 'storage',
    also: RECORD_ALSO,
    tag: 'Save records',
    summary: 'The save records of a player, oldest first; their data are the documents `{key}_{recordId}`',
    keys: { ...RECORD_KEYS, needs: READ_DOCUMENTS },
    query: AT,
    headers: { ...headers, ...AT_POSITION },
    answers: { 200: SaveRecords },
    answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
    errors: [...ACCESS, ...AT_ERRORS, 'INVALID_KEY'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        records: [
          {
            recordId: 'a1b2c3',
            recordName: 'Camp',
            createdAt: '2026-03-01T12:00:00.000Z',
            updatedAt: '2026-03-01T12:00:00.000Z',
            isLegacy: false,
          },
        ],
        maxRecords: 5,
      },
    },
  }),
  create: route({
    id: 'createSaveRecord',
    method: 'POST',
    path: '/:project/:collection/:key/records',
    family: 'storage',
    also: RECORD_ALSO,
    tag: 'Save records',
    summary: 'Create a save record; it has no document until the first save',
    keys: RECORD_KEYS,
    headers,
    body: { schema: RecordName, required: false },
    answers: { 200: NamedRecord },
    answerHeaders: READ_HEADERS,
    errors: [...ACCESS, 'INVALID_KEY', 'RECORD_LIMIT_REACHED'],
    writes: true,
    idempotent: true,
    example: { body: { recordName: 'Camp' }, answer: { ok: true, recordId: 'a1b2c3', recordName: 'Camp' } },
  }),
  rename: route({
    id: 'renameSaveRecord',
    method: 'PATCH',
    path: '/:project/:collection/:key/records/:record',
    family: 'storage',
    also: RECORD_ALSO,
    tag: 'Save records',
    summary: 'Rename a save record',
    keys: RECORD_KEYS,
    headers,
    body: { schema: RecordName, required: true },
    answers: { 200: NamedRecord },
    answerHeaders: READ_HEADERS,
    errors: [...ACCESS, 'INVALID_KEY', 'RECORD_NOT_FOUND'],
    writes: true,
    idempotent: true,
    example: { body: { recordName: 'Old camp' }, answer: { ok: true, recordId: 'a1b2c3', recordName: 'Old camp' } },
  }),
  remove: route({
    id: 'deleteSaveRecord',
    method: 'DELETE',
    path: '/:project/:collection/:key/records/:record',
    family: 'storage',
    also: RECORD_ALSO,
    tag: 'Save records',
    summary: 'Delete a save record and its document, where the collection has `allowRecordDelete`',
    keys: RECORD_KEYS,
    headers,
    answers: { 200: Done },
    answerHeaders: READ_HEADERS,
    errors: [...ACCESS, 'INVALID_KEY', 'RECORD_NOT_FOUND', 'RECORD_DELETE_DISABLED', 'RATE_LIMIT', 'RATE_LIMIT_DAILY'],
    writes: true,
    idempotent: true,
    example: { answer: { ok: true } },
  }),
} as const;
