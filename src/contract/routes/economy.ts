import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { PLAYER, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { anyNumber, called, count, instant, ok } from '../values.ts';
import { why } from './commits.ts';
import { about, paged, pageSize } from './managed.ts';

/** What became of the money of all players. */

const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ description: 'UTC', examples: ['2026-03-01'] });
const currency = z.string().meta({ description: '`_currency` of fields; of a field without one, `collection.field`', examples: ['gold'] });
const range = {
  from: z.string().meta({ description: 'The first day: a date, an ISO time with a zone, or unix ms. Left out: 30 days back' }),
  to: z.string().meta({ description: 'As `from`, exclusive' }),
} as const;
const page = { limit: pageSize, cursor: z.string().meta({ description: '`cursor` of the page before, with the same filters' }) } as const;
const next = z.string().nullable().meta({ description: 'Of the next page; `null` at the end' });
const place = {
  currency: z.string().meta({ description: 'Of one currency only', examples: ['gold'] }),
  collection: z.string().meta({ description: 'Of one collection only' }),
  field: z.string().meta({ description: 'Of one field only; `*`: of those beyond the 200 that a day tells apart' }),
  source: z.string().meta({ description: 'Of one source only; `other`: of those beyond the 200 of a field and day' }),
  endpoint: z.string().meta({ description: 'Of one endpoint only; empty: of what no endpoint wrote' }),
} as const;
const ofShared = z.literal(true).optional().meta({ description: 'A document that all share moved it: `player` is its key, and no player' });
const entry = z
  .strictObject({
    revision: count.meta({ description: 'Of the commit: `explain` says what it was' }),
    at: instant,
    currency,
    player: z.string(),
    shared: ofShared,
    collection: z.string(),
    key: z.string(),
    field: z.string(),
    before: anyNumber,
    after: anyNumber,
    delta: anyNumber,
    source: z.string(),
    reason: z.string().optional(),
    endpoint: z.string().optional(),
    actor: z
      .object({
        kind: z.enum(['public', 'secret', 'operator', 'person']),
        keyId: z.string().optional(),
        person: z.string().optional(),
        label: z.string().optional().meta({ description: 'Of the key, or the name of the person' }),
        player: z.string().optional().meta({ description: 'For whom the request was made' }),
      })
      .meta({ description: 'Who made the commit' }),
    why: why.optional().meta({ description: 'Of a correction and of a pressed button: what whoever made it said' }),
    part: anyNumber.optional().meta({ description: 'With `class`: how much of the change is of it, which is not negative' }),
    eventId: z.string(),
  })
  .meta({ id: 'EconomyEntry', description: 'One change of a number of a currency' });
const top = z.strictObject({ holders: count, balance: anyNumber, share: z.number().min(0).max(1) }).meta({
  description: 'The richest hundredth of the holders, at least one: what they have together, and the share of what all holders have',
});
const sums = { entries: count, inflow: anyNumber, outflow: anyNumber } as const;
const shared = {
  ...about,
  tag: 'Project',
  method: 'GET',
  keys: managementKeys('r', 'economy'),
  headers: TARGET,
  idempotent: false,
} as const;
const REFUSED = ['INVALID_REQUEST', 'BEHIND', 'ECONOMY_RANGE_TOO_LARGE'] as const;

const DIRECTIONS = ['in', 'out'] as const;
const ENTRY_CLASSES = ['faucet', 'sink', 'transfer', 'correction'] as const;
const FLOWS_BY = ['source', 'endpoint', 'field', 'day'] as const;
const MOVERS_BY = ['net', 'inflow', 'outflow'] as const;

export const economy = {
  days: route({
    ...shared,
    id: 'readEconomy',
    path: '/:project/economy',
    summary: 'The days of currencies, the newest first: what there was, what came in and went out, what it closed with',
    description:
      'Opening + inflow − outflow = closing, to the last digit. Inflow is faucet + transfer + correctedIn; outflow is sink + transfer + correctedOut. A day without entries is left out.',
    query: { currency: place.currency, ...range, ...page },
    answers: {
      200: z
        .strictObject({
          ok,
          days: z.array(
            z
              .strictObject({
                currency,
                day,
                opening: anyNumber,
                ...sums,
                closing: anyNumber,
                faucet: anyNumber.meta({ description: 'What came from nowhere' }),
                sink: anyNumber.meta({ description: 'What went nowhere' }),
                transfer: anyNumber.meta({ description: 'What went from one place to another within a commit' }),
                correctedIn: anyNumber.meta({ description: 'By restores, undos, grants, imports and corrections' }),
                correctedOut: anyNumber,
                active: anyNumber.nullable().meta({
                  description: 'Of `closing`, what players had who moved it within 30 days; null until entries of a later day have come',
                }),
                holders: count.nullable().meta({ description: 'Players who had more than 0 at the day’s end; null as `active` is' }),
                top: top.nullable(),
                flows: z.string().meta({ description: 'Where this day’s sums come from' }),
              })
              .meta({ id: 'EconomyDay' }),
          ),
          cursor: next,
        })
        .meta({ id: 'EconomyDays', description: 'A page of days of currencies' }),
    },
    errors: REFUSED,
    example: {
      answer: {
        ok: true,
        days: [
          {
            currency: 'gold',
            day: '2026-03-01',
            opening: 1000,
            entries: 40,
            inflow: 500,
            outflow: 300,
            closing: 1200,
            faucet: 300,
            sink: 100,
            transfer: 200,
            correctedIn: 0,
            correctedOut: 0,
            active: 900,
            holders: 250,
            top: { holders: 3, balance: 400, share: 0.33 },
            flows: '/v3/manage/demo/economy/flows?currency=gold&from=2026-03-01&to=2026-03-02',
          },
        ],
        cursor: null,
      },
    },
  }),
  flows: route({
    ...shared,
    id: 'listEconomyFlows',
    path: '/:project/economy/flows',
    summary: 'Where money came from and went to, by day, collection, field, source and endpoint, or added up by one of them',
    query: {
      by: z.enum(FLOWS_BY).meta({ description: 'Adds up by this. Left out: every row by itself, with its players' }),
      ...place,
      ...range,
      ...page,
    },
    answers: {
      200: z
        .strictObject({
          ok,
          flows: z.array(
            z
              .strictObject({
                currency,
                day: day.optional(),
                collection: z.string().optional(),
                field: z.string().optional(),
                source: z.string().optional(),
                endpoint: z.string().optional(),
                correction: z.boolean().optional(),
                ...sums,
                faucet: anyNumber,
                sink: anyNumber,
                players: count.optional().meta({ description: 'Of a row that is not added up' }),
                opens: z.string().meta({ description: 'The players who moved it' }),
              })
              .meta({ id: 'EconomyFlow' }),
          ),
          cursor: next,
        })
        .meta({ id: 'EconomyFlows', description: 'A page of flows' }),
    },
    errors: REFUSED,
    example: {
      query: { by: 'source', currency: 'gold' },
      answer: {
        ok: true,
        flows: [
          {
            currency: 'gold',
            source: 'quest',
            entries: 40,
            inflow: 500,
            outflow: 0,
            faucet: 500,
            sink: 0,
            opens: '/v3/manage/demo/economy/players?currency=gold&source=quest&from=2026-03-01&to=2026-03-31',
          },
        ],
        cursor: null,
      },
    },
  }),
  players: route({
    ...shared,
    id: 'listEconomyPlayers',
    path: '/:project/economy/players',
    summary: 'Who moved most of a currency, with the ledgers that hold the entries',
    query: {
      order: z.enum(MOVERS_BY).default('net').meta({ description: '`net`: who gained most; or by what came in, or went out' }),
      ...place,
      ...range,
      ...page,
    },
    answers: {
      200: z
        .strictObject({
          ok,
          players: z.array(
            z
              .strictObject({
                player: z.string(),
                shared: ofShared,
                ...sums,
                net: anyNumber,
                ledgers: z
                  .array(z.string())
                  .meta({ description: 'Where the entries are, at most 20: ledgers of the player, one for each collection' }),
              })
              .meta({ id: 'EconomyPlayer' }),
          ),
          called,
          cursor: next,
        })
        .meta({ id: 'EconomyPlayers', description: 'A page of players, the largest first' }),
    },
    errors: REFUSED,
    example: {
      query: { currency: 'gold' },
      answer: {
        ok: true,
        players: [
          {
            player: PLAYER,
            entries: 3,
            inflow: 300,
            outflow: 20,
            net: 280,
            ledgers: [`/v3/storage/demo/saves/${PLAYER}/ledger?from=2026-03-01T00%3A00%3A00.000Z&to=2026-03-31T00%3A00%3A00.000Z`],
          },
        ],
        cursor: null,
      },
    },
  }),
  entries: route({
    ...shared,
    id: 'listEconomyEntries',
    path: '/:project/economy/entries',
    summary: 'The entries of ledgers that a sum is made of, the newest first',
    description: [
      'Entries of all players, over an index by source and time. A page may be shorter than its limit and have a `cursor` all the same. A source beyond the 200',
      'that a day tells apart is not looked for: `hasOthers` says that there are some, which the ledgers of their players hold. A page has 50 commits at most',
      'that say why.',
      '',
      'With `class`, the entries that make up a faucet, sink, transfer or correction, each with its `part` of it: together the parts are the sum. What a commit',
      'brought in and took away in common is transfer, and of one field and source its first entries are. A page looks at 100 commits at most.',
      '',
      'With `alarm`, the entries that its amount is the sum of: what came later in its window is not among them. It is of live.',
    ].join('\n'),
    query: {
      ...place,
      player: z.string().meta({ description: 'Of one player only' }),
      direction: z.enum(DIRECTIONS).meta({ description: 'Only what came in, or only what went out' }),
      class: z.enum(ENTRY_CLASSES).meta({ description: 'Only what is of this class, as the days and flows count it' }),
      alarm: count.meta({
        description: 'What an alarm counted, by the revision at which it was raised; of filters only its `currency` stands beside it',
      }),
      ...range,
      ...page,
    },
    answers: {
      200: z
        .strictObject({ ok, entries: z.array(entry), hasOthers: ok.optional(), cursor: next })
        .meta({ id: 'EconomyEntries', description: 'A page of entries' }),
    },
    errors: [...REFUSED, 'INVALID_PLATFORMID', 'NOT_FOUND', 'BUSY', 'PAST_TIMEOUT'],
    example: {
      query: { currency: 'gold', source: 'quest' },
      answer: {
        ok: true,
        entries: [
          {
            revision: 12,
            at: '2026-03-01T12:00:00.000Z',
            currency: 'gold',
            player: PLAYER,
            collection: 'saves',
            key: PLAYER,
            field: 'gold',
            before: 10,
            after: 12,
            delta: 2,
            source: 'quest',
            endpoint: 'finish',
            actor: { kind: 'public', keyId: 'k1', label: 'game', player: PLAYER },
            eventId: '0191b7a0-0000-7000-8000-000000000000',
          },
        ],
        cursor: null,
      },
    },
  }),
  alarms: route({
    ...shared,
    id: 'listEconomyAlarms',
    path: '/:project/economy/alarms',
    summary: 'Alarms that were raised, the newest first',
    query: paged,
    headers: {},
    answers: {
      200: z
        .strictObject({
          ok,
          alarms: z.array(
            z
              .strictObject({
                revision: count,
                alarm: z.string(),
                window: z.string().meta({ description: 'The day, or the hour, UTC' }),
                currency,
                source: z.string().nullable(),
                player: z.string().nullable().meta({ description: 'For whom most came in, of an alarm of one player' }),
                amount: z.number(),
                threshold: z.number(),
                at: instant,
                opens: z.string().meta({ description: 'The flows of that day' }),
                entries: z.string().meta({ description: 'The entries that `amount` counts' }),
              })
              .meta({ id: 'EconomyAlarm' }),
          ),
          before: z.int().nullable(),
        })
        .meta({ id: 'EconomyAlarms', description: 'A page of raised alarms' }),
    },
    errors: ['INVALID_REQUEST', 'BEHIND'],
    example: {
      answer: {
        ok: true,
        alarms: [
          {
            revision: 12,
            alarm: 'gold-flood',
            window: '2026-03-01',
            currency: 'gold',
            source: 'quest',
            player: null,
            amount: 5000,
            threshold: 900,
            at: '2026-03-01T12:00:00.000Z',
            opens: '/v3/manage/demo/economy/flows?currency=gold&source=quest&from=2026-03-01&to=2026-03-02',
            entries: '/v3/manage/demo/economy/entries?currency=gold&alarm=12',
          },
        ],
        before: null,
      },
    },
  }),
  supply: route({
    ...shared,
    id: 'readEconomySupply',
    path: '/:project/economy/supply',
    summary: 'How much there is of a currency now, with whom, and how it is shared',
    query: { currency: place.currency },
    answers: {
      200: z
        .strictObject({
          ok,
          currency,
          supply: anyNumber,
          active: anyNumber.meta({ description: 'Of that, what players have who moved it within 30 days' }),
          holders: count.meta({ description: 'Players who have more than 0' }),
          top,
        })
        .meta({ id: 'EconomySupply', description: 'A currency now' }),
    },
    errors: REFUSED,
    example: {
      query: { currency: 'gold' },
      answer: { ok: true, currency: 'gold', supply: 1200, active: 900, holders: 250, top: { holders: 3, balance: 400, share: 0.33 } },
    },
  }),
} as const;
