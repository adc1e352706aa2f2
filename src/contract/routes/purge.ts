import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { flag, READ_HEADERS } from '../parameters.ts';
import { route } from '../route.ts';
import { count, ok } from '../values.ts';
import { INVALID } from './managed.ts';

const A_COLLECTION = 'the id of a collection';

export const purge = {
  documents: route({
    id: 'purgeDocuments',
    method: 'POST',
    path: '/:project/purge',
    family: 'manage',
    tag: 'Documents',
    summary: 'Delete documents of a collection, some at a time: ask again while `more` is true',
    description: [
      'Also of a collection that was deleted and whose documents would show again. Each request is one commit, and every document is deleted as',
      'a DELETE of it would: ledgers end at 0, values that are unique are free again, save records leave their lists. `dryRun` counts only.',
    ].join('\n'),
    keys: managementKeys('rw', 'collections'),
    body: {
      schema: z.strictObject({
        collection: z
          .string(A_COLLECTION)
          .regex(/^[A-Za-z0-9_-]{1,128}$/, A_COLLECTION)
          .meta({ description: 'Its id' }),
        dryRun: z.boolean().default(false),
      }),
      required: true,
    },
    query: { dryRun: flag('As in the body') },
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'documents' } },
    answers: {
      200: z
        .strictObject({
          ok,
          collection: z.string(),
          deleted: count,
          more: z.boolean().meta({ description: 'Whether there may be more' }),
          documents: count.optional().meta({ description: 'Of a dry run: how many there are, counted to a million' }),
          dryRun: ok.optional(),
        })
        .meta({ id: 'Purged', description: 'What was deleted' }),
    },
    answerHeaders: READ_HEADERS,
    errors: [...INVALID, 'BEHIND'],
    writes: true,
    idempotent: true,
    example: { body: { collection: 'saves' }, answer: { ok: true, collection: 'saves', deleted: 2, more: false } },
  }),
} as const;
