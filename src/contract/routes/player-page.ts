import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { AT, AT_ERRORS, AT_HEADER, PLAYER } from '../parameters.ts';
import { route } from '../route.ts';
import { anyNumber, anyObject, asOf, count, instant, ok } from '../values.ts';
import { Commit } from './commits.ts';
import { LoggedRequest } from './logs.ts';
import { about, pageSize } from './managed.ts';
import { Flag } from './project.ts';
import { UsedWindow } from './values.ts';

/** One player on one page: what support looks at first. */

/** The parts that may be asked for alone, and those of them that go on in pages. */
const PLAYER_PARTS = [
  ...(['name', 'profile', 'documents', 'slots', 'sessions', 'guest', 'windows', 'flags', 'boards', 'calls', 'reports'] as const),
] as const;
export const PAGED_PARTS = ['documents', 'sessions', 'boards', 'reports'] as const;
/** Items of a part that are listed, and at most. */
const PLAYER_PAGE = { initial: 20, most: 50 } as const;

const link = z.string().meta({ description: 'Path of the route by which more of it is read' });
const more = z.string().optional().meta({ description: 'Path that goes on behind the last item; left out: that was all' });

function part<Item extends z.ZodType>(item: Item, description: string) {
  return z
    .strictObject({ items: z.array(item), more, link: link.optional() })
    .optional()
    .meta({ description });
}

const Profile = z
  .strictObject({
    name: z.string().nullable().meta({ description: 'As the game reported it last' }),
    online: z.boolean(),
    lastSeen: instant,
    playedSeconds: count,
    playSessions: count,
    link,
  })
  .meta({ id: 'PlayerProfile', description: 'What reports of the game add up to' });

const Called = z
  .strictObject({
    text: z.string(),
    collection: z.string().optional().meta({ description: 'Left out: the game reported it' }),
    field: z.string().optional().meta({ description: 'Of the document that says it' }),
  })
  .meta({ id: 'PlayerCalled', description: 'What a player is called' });

const OwnedDocument = z
  .strictObject({
    collection: z.string(),
    key: z.string(),
    version: count,
    updatedAt: instant,
    deleted: z.literal(true).optional().meta({ description: 'It was deleted at `updatedAt`' }),
    document: anyObject
      .optional()
      .meta({ description: 'As a reader sees it; left out of a deleted one, and where the page would be longer than 256 KB' }),
    link,
    history: link.meta({ description: 'Path of its history' }),
  })
  .meta({ id: 'OwnedDocument', description: 'A document of the player' });

const Balance = z
  .strictObject({
    collection: z.string(),
    key: z.string(),
    field: z.string(),
    currency: z.string().optional().meta({ description: 'Where the schema names one' }),
    amount: anyNumber,
    link: link.meta({ description: 'Path of its ledger' }),
  })
  .meta({ id: 'Balance', description: 'What a field with a ledger holds' });

const Slot = z
  .strictObject({
    collection: z.string(),
    recordId: z.string(),
    recordName: z.string(),
    createdAt: instant,
    updatedAt: instant,
    link: link.meta({ description: 'Path of its document' }),
  })
  .meta({ id: 'PlayerSlot', description: 'A save record of the player' });

const PlayerSession = z
  .strictObject({
    id: z.string(),
    createdAt: instant,
    renewedAt: instant.optional().meta({ description: 'When a session was refreshed from it last' }),
    expiresAt: instant,
    revokedAt: instant.nullable().meta({ description: 'null: something of it is in force until it expires' }),
    device: z.string().optional().meta({ description: 'Of a guest, which opened it' }),
    link,
  })
  .meta({ id: 'PlayerSession', description: 'A session of the player, with all that were refreshed from it' });

const Access = z
  .strictObject({
    devices: z.array(z.strictObject({ id: z.string(), joinedAt: instant })),
    account: z.string().nullable().meta({ description: 'Id of the account that lets devices in' }),
    hasCode: z.boolean().meta({ description: 'Whether there is a recovery code that was not used' }),
    link,
  })
  .meta({ id: 'PlayerAccess', description: 'What leads to a guest' });

const Board = z
  .strictObject({
    query: z.string(),
    name: z.string(),
    rank: z.int().min(1).nullable().meta({ description: 'null: not known yet (`building`), or only by a scan (`scanned`)' }),
    value: z.number().optional(),
    total: count.optional().meta({ description: 'Rows that have a rank' }),
    building: z.number().optional().meta({ description: 'How far the board is filled, 0 to below 1' }),
    scanned: z.literal(true).optional().meta({ description: 'No index serves it: the link looks at all documents' }),
    link,
  })
  .meta({ id: 'PlayerBoard', description: 'A leaderboard on which the player is' });

const Report = z
  .strictObject({
    revision: count.meta({ description: 'In the stream of what is reported, by which two at one time are told apart' }),
    at: instant,
    type: z.string(),
    label: z.string(),
    source: z.string(),
    endpoint: z.string().nullable(),
    collection: z.string().nullable(),
    session: z.string().nullable().meta({ description: 'Of play, as the game names it' }),
    payload: anyObject.optional().meta({ description: 'Left out where it is longer than 4 KB' }),
  })
  .meta({ id: 'PlayerReport', description: 'What a game reported of the player' });

const LeftOut = z
  .strictObject({ part: z.enum(PLAYER_PARTS), why: z.string() })
  .meta({ id: 'LeftOut', description: 'A part that the page does not show' });

const TimelineItem = z
  .strictObject({
    at: instant,
    commit: Commit.optional(),
    call: LoggedRequest.optional().meta({ description: 'A request that was refused or failed' }),
    report: Report.optional(),
  })
  .meta({ id: 'TimelineItem', description: 'One thing that happened: a commit, a request or a report' });

const STORED = `/v3/storage/demo/saves/${PLAYER}`;

export const playerPage = {
  show: route({
    ...about,
    id: 'showPlayer',
    tag: 'Players',
    method: 'GET',
    path: '/:project/players/:player',
    summary: 'One player on one page: what he has, how he comes in, where he stands, what happened last',
    description: [
      'Of live. Every list is bounded, and names the path that goes on. `part` asks for one part alone; documents, sessions, boards and reports go on with `after`. What the key may not see is',
      'left out and said in `leftOut`: documents, balances and save records take `collections` x or `history` r, flags `rate_limits` r, boards `queries` x.',
      '',
      'With `at` (`history` r) documents, balances and save records, and the name in a document, are what a reader saw then; the rest is of now alone, and left out. 404: nothing is known of him.',
    ].join('\n'),
    keys: managementKeys('r', 'players'),
    query: {
      ...AT,
      part: z.enum(PLAYER_PARTS).meta({ description: 'This part alone' }),
      after: z.string().min(1).meta({ description: 'Of a part that goes on: what `more` of the page before says' }),
      limit: z.int().min(1).max(PLAYER_PAGE.most).default(PLAYER_PAGE.initial).meta({ description: 'Items of each list' }),
    },
    answers: {
      200: z
        .strictObject({
          ok,
          player: z.string(),
          at: asOf,
          name: Called.nullable().optional().meta({
            description:
              'As the game reported it last, else a text of the player’s documents in a field that is called so (`name`, `displayName`, `nickname` …) or is unique, and not personal; null: nothing tells',
          }),
          profile: Profile.nullable().optional().meta({ description: 'null: no report names him' }),
          documents: part(OwnedDocument, 'In order of collection and key, deleted ones too'),
          balances: part(Balance, 'Of these documents, 200 at most'),
          slots: part(Slot, 'Save records, 200 at most'),
          sessions: part(PlayerSession, 'Those that the server still keeps, the last to expire first'),
          guest: Access.nullable().optional().meta({ description: 'Devices of a guest; null: he is none' }),
          accountOf: z
            .strictObject({ guest: z.string(), link })
            .optional()
            .meta({ description: 'The guest that this account lets devices into' }),
          windows: part(UsedWindow, 'Of his rate limits, where something is used'),
          flags: part(Flag, 'Newest first'),
          boards: part(Board, 'In order of the ids of their queries'),
          calls: part(LoggedRequest, 'His last requests that the call log keeps, oldest first'),
          refusals: part(LoggedRequest, 'Those of them that were refused or failed'),
          reports: part(Report, 'Newest first'),
          leftOut: z.array(LeftOut),
          links: z.record(z.string(), link),
        })
        .meta({ id: 'PlayerPage', description: 'A player' }),
    },
    answerHeaders: { ...about.answerHeaders, ...AT_HEADER },
    errors: ['NOT_FOUND', 'INVALID_REQUEST', 'INVALID_PLATFORMID', 'BUSY', 'VALIDATION_FAILED', ...AT_ERRORS],
    idempotent: false,
    example: {
      query: { limit: '10' },
      answer: {
        ok: true,
        player: PLAYER,
        profile: null,
        documents: {
          items: [
            {
              collection: 'saves',
              key: PLAYER,
              version: 3,
              updatedAt: '2026-03-01T12:00:00.000Z',
              document: { name: 'Ada', gold: 12 },
              link: STORED,
              history: `${STORED}/history`,
            },
          ],
          link: `/v3/manage/demo/players/${PLAYER}?part=documents`,
        },
        balances: { items: [{ collection: 'saves', key: PLAYER, field: 'gold', amount: 12, link: `${STORED}/ledger?field=gold` }] },
        slots: { items: [] },
        leftOut: [{ part: 'flags', why: 'The key does not have r access to rate_limits' }],
        links: { commits: `/v3/manage/demo/commits?player=${PLAYER}` },
      },
    },
  }),
  timeline: route({
    ...about,
    id: 'showTimeline',
    tag: 'Players',
    method: 'GET',
    path: '/:project/players/:player/timeline',
    summary: 'What happened to one player, newest first: commits, requests that were refused or failed, and what games reported',
    description: [
      'One list by time, which `before` goes on in without gaps and doubles: it is told as far as commits, requests and reports are all known. Each is found by an index; what no index serves',
      '(`what`, `endpoint`) is looked for in the next 1 000 of each, so a page may be short or empty and still go on: `reached` is the time down to which everything is told.',
      '',
      'Commits reach back to the first. Requests are those that the call log keeps (`CALL_LOG_DAYS`, and so many of a project), reports those that the project keeps (`analytics.retentionDays`).',
      'Calls that only read are not in it: `GET logs?player=` has them for a while. Requests and reports take `players` r, else they are left out and said in `leftOut`. Reports are those of live.',
    ].join('\n'),
    keys: managementKeys('r', 'history'),
    query: {
      what: z
        .enum(['everything', 'changes', 'coins', 'calls', 'refused', 'sessions', 'reports', 'buttons', 'grants', 'corrections'])
        .default('everything')
        .meta({
          description:
            '`changes` of documents and save records, `coins`: money that moved, `calls` of endpoints with those that were refused, `refused`: every request that was, `sessions` with devices, `corrections` with restores and what was undone',
        }),
      endpoint: z
        .string()
        .min(1)
        .meta({ description: 'Of this endpoint', examples: ['buy'] }),
      field: z
        .string()
        .min(1)
        .max(512)
        .meta({
          description:
            'Commits that changed this field of a document of the player, with dots, or what lies in it (`collections` r). Where that cannot be told of a large document, its commits are among them',
          examples: ['gold'],
        }),
      from: z
        .string()
        .meta({ description: 'Not before this revision, or this ISO time with its zone', examples: ['2026-03-01T12:00:00Z'] }),
      to: z.string().meta({ description: 'Not after it' }),
      limit: pageSize,
      before: z.string().meta({ description: '`before` of the page before' }),
    },
    answers: {
      200: z
        .strictObject({
          ok,
          player: z.string(),
          items: z.array(TimelineItem),
          reached: instant.nullable().meta({ description: 'Everything since is told; `null`: everything is' }),
          before: z.string().nullable().meta({ description: 'Of the next page; `null` at the end' }),
          leftOut: z.array(z.strictObject({ source: z.enum(['calls', 'reports']), why: z.string() })),
        })
        .meta({ id: 'Timeline', description: 'A page of what happened to a player' }),
    },
    errors: ['INVALID_REQUEST', 'INVALID_PLATFORMID', 'BEHIND', 'BUSY', 'PAST_TIMEOUT', 'VALIDATION_FAILED'],
    idempotent: false,
    example: {
      query: { what: 'reports' },
      answer: {
        ok: true,
        player: PLAYER,
        items: [
          {
            at: '2026-03-01T12:00:00.000Z',
            report: {
              revision: 7,
              at: '2026-03-01T12:00:00.000Z',
              type: 'error.reported',
              label: 'Crash',
              source: 'manual',
              endpoint: null,
              collection: null,
              session: null,
              payload: { message: 'The bag is null' },
            },
          },
        ],
        reached: null,
        before: null,
        leftOut: [],
      },
    },
  }),
} as const;
