import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { PLAYER } from '../parameters.ts';
import { route } from '../route.ts';
import { called, count, instant, ok } from '../values.ts';
import { about, paged } from './managed.ts';

/** Who looked at the data of players. */

const Look = z
  .strictObject({
    revision: count.meta({ description: 'Of its event in the stream `access-…` of the project' }),
    at: instant.meta({ description: 'The first time within that minute' }),
    person: z.string().meta({ description: 'Id of the person' }),
    name: z.string().optional().meta({ description: 'Of the person; missing where it was redacted' }),
    player: z.string().optional().meta({ description: 'Missing where it was of many, or of nobody that is named' }),
    players: count.optional().meta({ description: 'Of how many it was, where they were too many to be named' }),
    page: z.string().meta({ description: 'By which route, as `operationId` names it', examples: ['showPlayer'] }),
    reason: z.string().optional().meta({ description: 'Why personal values were revealed; missing where they were masked' }),
  })
  .meta({ id: 'Look', description: 'A person was shown data of a player' });

/** Whose data looks are of. */
export const LOOKED_OF = ['one', 'many'] as const;

const time = (which: string) =>
  z.string().meta({ description: `${which} this ISO time with its zone`, examples: ['2026-03-01T12:00:00Z'] });

export const looks = {
  list: route({
    ...about,
    id: 'listLooks',
    tag: 'Project',
    method: 'GET',
    path: '/:project/access',
    summary: 'Which person was shown the data of which player, newest first',
    description: [
      'What people read who are signed in is recorded before it is answered: by person, player, page and minute. Kept for `ACCESS_LOG_DAYS`. What keys read is',
      'not recorded. A page looks at 5 000 records at most, so it may be empty and `before` go on all the same.',
    ].join('\n'),
    keys: managementKeys('r', 'access'),
    query: {
      player: z
        .string()
        .min(1)
        .meta({ description: 'Whose data it was', examples: [PLAYER] }),
      of: z
        .enum(LOOKED_OF)
        .meta({ description: 'Only looks that name a player, or only those that name none: at lists, files and nobody' }),
      person: z.string().min(1).meta({ description: 'Id of the person who looked' }),
      from: time('Not before'),
      to: time('Not after'),
      ...paged,
    },
    answers: {
      200: z
        .strictObject({
          ok,
          looks: z.array(Look),
          called,
          before: z.int().nullable().meta({ description: 'Of the next page; `null` at the end' }),
        })
        .meta({ id: 'Looks', description: 'A page of looks' }),
    },
    errors: ['INVALID_REQUEST', 'STORAGE_UNAVAILABLE'],
    idempotent: false,
    example: {
      query: { player: PLAYER },
      answer: {
        ok: true,
        looks: [
          {
            revision: 7,
            at: '2026-03-01T12:00:00.000Z',
            person: 'per_0191b7a000000000',
            name: 'Ada',
            player: PLAYER,
            page: 'showPlayer',
          },
        ],
        called: { [PLAYER]: 'Bo' },
        before: null,
      },
    },
  }),
} as const;
