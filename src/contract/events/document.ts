import { z } from 'zod';
import { absent, count, event, json, list, members, object, perhaps, time } from './shape.ts';

/** Events of documents and records, and of their limits. */

/** Where data lives: `live`, or `next{generation}` for what tests of staged definitions wrote. */
export const space = z.union([z.literal('live'), z.templateLiteral(['next', z.number()])]);

export const ledgerEntry = members({
  field: z.string().meta({ description: 'Dotted path' }),
  before: json,
  after: json,
  delta: json,
  source: z.string(),
  reason: absent(z.string(), 'Why, in the words of who wrote'),
});

export const windowChange = members({
  counter: z.string().meta({ description: 'Rule, collection, field, subject and window, without the start' }),
  rule: z.string(),
  window: z.string(),
  start: time,
  before: z.number(),
  after: z.number(),
  flagged: absent(z.boolean(), 'This write is the first of the window to go over a `flag` rule'),
});

export const clamp = members({
  rule: z.string(),
  field: z.string(),
  asked: z.number(),
  granted: z.number().meta({ description: 'What this rule left of it; the write got what the tightest of its field left' }),
});

export const operation = members({
  op: z.string(),
  path: z.string(),
  value: absent(json, 'With what'),
  match: absent(json, 'Of a `pull`: members of the items'),
  source: absent(z.string(), 'What the ledger says wrote it'),
  reason: absent(z.string(), 'What the ledger says why'),
});

/** A member's path and its new value. */
export const change = z.tuple([z.string(), json]).readonly();

export const fork = members({ document: object.nullable(), version: count });
export const uniqueChange = members({ taken: list(z.string()), freed: list(z.string()) });

const idempotencyFact = members({ caller: z.string(), key: z.string(), bodyHash: z.string() });

export const saveRecord = members({ recordId: z.string(), recordName: z.string(), createdAt: time, updatedAt: time });

const collection = z.string();
const key = z.string();
const version = count.meta({ description: 'Number of accepted writes to this document, this one included; not reset by a delete' });
const definition = z.string().meta({ description: 'Content hash of the collection’s definition that this was decided under' });
const told = object.nullable();
const TOLD =
  'The ledger balances of the document before this event. null: an earlier release wrote the document, and its balances are not known';

const written = {
  space,
  collection,
  key,
  version,
  document: perhaps(object, 'The whole, when it was replaced or newly made; else `changes` is there'),
  changes: perhaps(list(change), 'Pairs of path and value'),
  ops: perhaps(list(operation), 'As asked for'),
  ledger: perhaps(list(ledgerEntry), 'Entries, in order'),
  windows: perhaps(list(windowChange), 'What it did to windows of rate limits'),
  clamps: perhaps(list(clamp), 'What rules took away'),
  definition,
  fork: perhaps(fork, 'The live state that a subject of `next` begins with'),
  unique: perhaps(uniqueChange, 'Hashes of the values of unique fields that are taken and freed'),
};

const deleted = {
  space,
  collection,
  key,
  version,
  ledger: absent(list(ledgerEntry), 'Entries, in order'),
  definition,
  fork: absent(fork, 'The live state that a subject of `next` begins with'),
  unique: absent(uniqueChange, 'Hashes of the values of unique fields that are freed'),
};

const appended = {
  space,
  collection,
  recordId: z.string(),
  timestamp: time,
  writerId: z.string(),
  document: object,
  ledger: absent(list(ledgerEntry), 'Entries, in order'),
  windows: absent(list(windowChange), 'What it did to windows of rate limits'),
  idempotency: absent(idempotencyFact, 'Of builds that kept the answers of appends alone'),
  definition,
  unique: absent(uniqueChange, 'Hashes of the values of unique fields that are taken'),
};

const record = {
  space,
  collection,
  player: z.string(),
  recordId: z.string(),
  recordName: z.string(),
  definition,
  fork: absent(list(saveRecord), 'The live list that a list of `next` begins with'),
};
const { recordName: _, ...withoutName } = record;

const writtenWithTold = { ...written, told: perhaps(told, TOLD) };
const writtenWithReached = {
  ...writtenWithTold,
  reached: perhaps(list(z.string()), 'Paths of numbers that queries sort by and that this write changed: ties go to whoever came first'),
};

export const DOCUMENT_EVENTS = {
  'document.written': event('A document is saved, or changed.', members(writtenWithReached), [members(written), members(writtenWithTold)]),
  'document.deleted': event('A document is deleted.', members({ ...deleted, told: absent(told, TOLD) }), [members(deleted)]),
  'record.appended': event(
    'A record of a global collection: a document, too, whose key is its `recordId`.',
    members({ ...appended, told: absent(z.null(), TOLD) }),
    [members(appended)],
  ),
  'record.created': event('A save slot of a player; its data is the document `{player}_{recordId}`.', members(record)),
  'record.renamed': event('A save slot has another name.', members(record)),
  'record.deleted': event('A save slot is gone.', members(withoutName)),
  'write.flagged': event(
    'A write went over a rule whose action is `flag`; it was stored all the same.',
    members({
      space,
      collection,
      key,
      rule: z.string(),
      window: z.string(),
      start: time,
      subject: z.string(),
      amount: z.number(),
      limit: z.number(),
    }),
  ),
  'call.counted': event(
    'A call of an endpoint that is limited, whatever came of it.',
    members({ space, endpoint: z.string(), windows: list(windowChange) }),
  ),
  'unique.claimed': event(
    'Values that documents held when their field came to be unique.',
    members({ space, collection, claims: list(z.tuple([z.string(), z.string()]).readonly()) }),
  ),
} as const;
