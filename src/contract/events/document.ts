import { z } from 'zod';
import { POLICIES } from '../policies.ts';
import { absent, count, event, json, list, members, object, perhaps, personalText, plainText, playerText, time } from './shape.ts';

/** Events of documents and records, and of their limits. */

/** Where data lives: `live`, or `next{generation}` for what tests of staged definitions wrote. */
export const space = z.union([z.literal('live'), z.templateLiteral(['next', z.number()])]);

export const ledgerEntry = members({
  field: personalText.meta({ description: 'Dotted path' }),
  before: json,
  after: json,
  delta: json,
  source: plainText,
  reason: absent(personalText, 'Why, in the words of who wrote'),
  currency: absent(plainText, '`_currency` of the field when it was written; without one the field is a currency of its own'),
});

export const posting = members({
  by: z.int().min(1).meta({ description: 'How many revisions before this one the event stands that made the entries' }),
  collection: plainText,
  key: playerText,
  player: playerText.meta({ description: 'Whose document it is: its key up to the first `_`' }),
  entries: list(ledgerEntry).meta({ description: 'In order' }),
});

export const windowChange = members({
  counter: playerText.meta({ description: 'Rule, collection, field, subject and window, without the start' }),
  rule: plainText,
  window: plainText,
  start: time,
  before: z.number(),
  after: z.number(),
  flagged: absent(z.boolean(), 'This write is the first of the window to go over a `flag` rule'),
});

export const clamp = members({
  rule: plainText,
  field: personalText,
  asked: z.number(),
  granted: z.number().meta({ description: 'What this rule left of it; the write got what the tightest of its field left' }),
});

export const operation = members({
  op: plainText,
  path: personalText,
  value: absent(json, 'With what'),
  match: absent(json, 'Of a `pull`: members of the items'),
  source: absent(plainText, 'What the ledger says wrote it'),
  reason: absent(personalText, 'What the ledger says why'),
});

/** A member's path and its new value. */
export const change = z.tuple([personalText, json]).readonly();

export const fork = members({
  document: object.nullable(),
  version: count,
  balances: absent(object, 'What the ledger has said of it: the last `after` of each field, as a tree of names'),
});
export const uniqueChange = members({ taken: list(personalText), freed: list(personalText) });

export const saveRecord = members({ recordId: personalText, recordName: personalText, createdAt: time, updatedAt: time });

const collection = plainText;
const key = playerText;
const version = count.meta({ description: 'Number of accepted writes to this document, this one included; not reset by a delete' });
const definition = plainText.meta({ description: 'Content hash of the collection’s definition that this was decided under' });

/** `listing`: the list of players is not whole, and nothing is given. `stopped`: whoever is not through stays as he is. */
export const grantPhase = z.enum(['listing', 'giving', 'given', 'stopped', 'taking', 'taken']);
/** `refused`: it was not given. `kept`: it was given, and could not be taken back. */
export const grantOutcome = z.enum(['given', 'refused', 'taken', 'kept']);
/** How a number that could not go back as far as it should is told. */
const grantShortfall = members({ field: personalText, asked: json, moved: json, short: json });

const written = {
  space,
  collection,
  key,
  version,
  document: perhaps(
    object,
    'The whole, when it was replaced or newly made, and now and then of one that is changed in parts; else `changes` is there',
  ),
  changes: perhaps(list(change), 'Pairs of path and value'),
  ops: perhaps(list(operation), 'As asked for'),
  windows: perhaps(list(windowChange), 'What it did to windows of rate limits'),
  clamps: perhaps(list(clamp), 'What rules took away'),
  definition,
  fork: perhaps(fork, 'The live state that a subject of `next` begins with'),
  unique: perhaps(uniqueChange, 'Hashes of the values of unique fields that are taken and freed'),
  reached: perhaps(list(personalText), 'Paths of numbers that queries sort by and that this write changed: ties go to whoever came first'),
};

const deleted = {
  space,
  collection,
  key,
  version,
  definition,
  fork: absent(fork, 'The live state that a subject of `next` begins with'),
  unique: absent(uniqueChange, 'Hashes of the values of unique fields that are freed'),
};

const appended = {
  space,
  collection,
  recordId: personalText,
  timestamp: time,
  writerId: playerText,
  document: object,
  windows: absent(list(windowChange), 'What it did to windows of rate limits'),
  definition,
  unique: absent(uniqueChange, 'Hashes of the values of unique fields that are taken'),
};

const record = {
  space,
  collection,
  player: playerText,
  recordId: personalText,
  recordName: personalText,
  definition,
  fork: absent(list(saveRecord), 'The live list that a list of `next` begins with'),
};
const { recordName: _, ...withoutName } = record;

export const DOCUMENT_EVENTS = {
  'document.written': event('A document is saved, or changed.', members(written)),
  'document.deleted': event('A document is deleted.', members(deleted)),
  'record.appended': event('A record of a global collection: a document, too, whose key is its `recordId`.', members(appended)),
  'ledger.posted': event(
    'Every change of money in this commit: what ledger fields of documents read before and after. It is the last event of the commit.',
    members({ space, postings: list(posting) }),
  ),
  'correction.made': event(
    'Support put something right in this commit: why, and which commits it undoes.',
    members({
      reason: personalText,
      ticket: absent(personalText, 'Of the support desk'),
      undone: absent(
        list(z.tuple([count, z.boolean()]).readonly()),
        'Pairs of the last revision of a commit, and whether it counts as undone now',
      ),
      restored: absent(members({ player: playerText, revision: count }), 'Whose data became what they were as of which revision'),
    }),
  ),
  'grant.begun': event(
    'Support gives something to many players. Their list follows, and nothing is given before it is whole.',
    members({
      grant: plainText.meta({ description: 'Its id' }),
      collection: plainText,
      ops: list(operation),
      reason: personalText,
      ticket: absent(personalText, 'Of the support desk'),
      players: count.meta({ description: 'How many the whole list has' }),
    }),
  ),
  'grant.listed': event(
    'A part of the list of players, which never changes.',
    members({
      grant: plainText,
      first: count.meta({ description: 'The place of the first of them in the whole list' }),
      players: list(playerText).meta({ description: 'Keys of documents' }),
    }),
  ),
  'grant.moved': event(
    'A grant comes to another phase.',
    members({
      grant: plainText,
      phase: grantPhase,
      policy: absent(z.enum(POLICIES), 'When it is undone: how far whoever got it has to pay'),
      reason: absent(personalText, 'Why, when somebody stops, resumes or undoes it'),
      ticket: absent(personalText, 'Of the support desk'),
    }),
  ),
  'grant.served': event(
    'What a grant did for one player, in this commit; or that it could not. Each happens to a player once.',
    members({
      grant: plainText,
      player: playerText.meta({ description: 'Key of the document' }),
      is: grantOutcome,
      code: absent(plainText, 'Why not: a code of refusals'),
      why: absent(personalText, 'The same in words'),
      shortfalls: absent(list(grantShortfall), 'Numbers that could not go back as far as they should'),
      left: absent(list(personalText), 'Paths that stay, because somebody changed them since'),
    }),
  ),
  'alarm.raised': event(
    'More of a currency came in than an alarm of the settings allows: once for an alarm and its window.',
    members({
      alarm: plainText,
      window: plainText.meta({ description: 'The day, or the hour, UTC' }),
      currency: plainText,
      source: absent(plainText, 'Of which source, where the alarm is of one'),
      player: absent(playerText, 'For whom most came in, where the alarm is of one player'),
      amount: z.number(),
      threshold: z.number(),
      counted: absent(count, 'The last revision that the amount counts'),
    }),
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
      rule: plainText,
      window: plainText,
      start: time,
      subject: playerText,
      amount: z.number(),
      limit: z.number(),
    }),
  ),
  'call.counted': event(
    'A call of an endpoint that is limited, whatever came of it.',
    members({ space, endpoint: plainText, windows: list(windowChange) }),
  ),
  'call.recorded': event(
    'The input of the call that made this commit, of an endpoint with `record: input`: without what looks like a secret.',
    members({
      space,
      endpoint: plainText,
      input: object.meta({ description: 'Members of the input, 4 KB of JSON at most' }),
      left: absent(count, 'How many members were left out, because there was no room'),
    }),
  ),
  'button.pressed': event(
    'Somebody ran an endpoint by its button in the console. What the endpoint did stands in the same commit.',
    members({
      space,
      endpoint: plainText,
      label: plainText.meta({ description: 'What stood on the button' }),
      reason: personalText.meta({ description: 'Why' }),
      ticket: absent(personalText, 'Of the support desk'),
    }),
  ),
  'unique.claimed': event(
    'Values that documents held when their field came to be unique.',
    members({ space, collection, claims: list(z.tuple([personalText, playerText]).readonly()) }),
  ),
} as const;
