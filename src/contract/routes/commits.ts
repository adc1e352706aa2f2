import { z } from 'zod';
import { EXPLAINING_KEYS, managementKeys } from '../credentials.ts';
import { flag, PLAYER } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyNumber, anyObject, called, count, instant, ok, ticketSaid } from '../values.ts';
import { LoggedRequest } from './logs.ts';
import { about, pageSize } from './managed.ts';

/** What happened in a project: its commits. */

/** Why somebody did it, as stated. */
export const why = z
  .strictObject({
    reason: z.string().meta({ description: 'Empty where a ticket alone was named' }),
    ticket: ticketSaid,
    undone: count.optional().meta({ description: 'Of an undo: the last revision of the commit that it undoes' }),
    button: z.string().optional().meta({ description: 'What stood on the button that was pressed' }),
  })
  .meta({
    description:
      'Of a correction, an undo, a restore, a button of the console, a publish, an approval, a change of settings or keys, or a write of a document with a secret key whose operations have a `reason`: why, as whoever did it said. Of a promotion that was missed: what refused it',
  });

const Actor = z
  .strictObject({
    kind: z.enum(['public', 'secret', 'operator', 'person']),
    keyId: z.string().optional(),
    person: z.string().optional().meta({ description: 'Id of the person' }),
    label: z.string().optional().meta({ description: 'Of the key, missing where there is no such key any more; name of the person' }),
    player: z.string().optional(),
    endpoint: z.string().optional().meta({ description: 'Slug of the endpoint that was called' }),
  })
  .meta({ description: 'Who' });

const Field = z.strictObject({
  path: z.string(),
  before: anyJson.optional().meta({ description: 'What it was, `null` where there was none; missing where it is long or not known' }),
  value: anyJson.optional().meta({ description: 'What it became; missing where it is long' }),
});

export const Commit = z
  .strictObject({
    first: count.meta({ description: 'Revision of its first event' }),
    revision: count.meta({ description: 'Revision of its last event, by which it is named' }),
    at: instant,
    cause: z.string().meta({ description: 'The use case, such as `endpoint.call`', examples: ['endpoint.call'] }),
    actor: Actor,
    requestId: z.string().meta({ description: 'By what the request is known; the command id where it has no other' }),
    publish: count
      .nullable()
      .meta({ description: 'Revision of the publish that was in force in live; `null`: none, or it is too far back' }),
    target: z.enum(['live', 'next']).optional().meta({
      description: 'Where it changed definitions or data: next, as soon as anything of next is among them; missing where neither',
    }),
    events: z.array(z.string()).meta({ description: 'Types of its events, each once' }),
    players: z
      .array(z.string())
      .meta({ description: 'Whom it names, 50 at most; the key of a document of a global collection names nobody' }),
    documents: z
      .array(
        z.strictObject({
          space: z.string(),
          collection: z.string(),
          key: z.string(),
          change: z.enum(['written', 'deleted', 'appended']),
          fields: z.array(Field).optional().meta({
            description:
              'What changed, 5 fields at most, with `collections: r`: in a list of one player’s commits, of the player’s own documents and save slots; elsewhere of the first 12 documents of a commit. Where what was there before is not known (it was redacted, or is of more than 30 documents of a page), what was written in parts',
          }),
          more: count.optional().meta({ description: 'How many fields more' }),
        }),
      )
      .meta({ description: 'What it touched, 50 at most' }),
    money: z
      .array(z.strictObject({ player: z.string(), collection: z.string(), key: z.string(), field: z.string(), delta: anyNumber }))
      .meta({ description: 'What ledgers gained or lost, by document and field, 50 at most' }),
    managed: z
      .array(
        z.strictObject({
          what: z.enum(['settings', 'key', 'page', 'alarm']),
          change: z.enum(['made', 'changed', 'removed']),
          id: z.string().optional().meta({ description: 'Of the key; the slug of the page' }),
          called: z.string().optional().meta({ description: 'Label of the key, or else its kind; title of the page; name of the alarm' }),
          fields: z.array(Field).optional().meta({
            description:
              'Settings, quotas among them, or what the key may do, with dots, 20 at most: what held before, and what holds since; of an alarm that was raised, for what',
          }),
          more: count.optional().meta({ description: 'How many fields more' }),
        }),
      )
      .optional()
      .meta({
        description: 'What it changed of the project itself, with `settings: r`; which alarm of the economy it raised, with `economy: r`',
      }),
    counts: z
      .strictObject({ players: count, documents: count, money: count })
      .optional()
      .meta({ description: 'How many there are, where there are more than are listed' }),
    input: z
      .strictObject({
        value: anyObject,
        left: count.optional().meta({ description: 'How many members were left out, because there was no room' }),
      })
      .optional()
      .meta({ description: 'Of the call, without what looks like a secret: where its endpoint has `record: input`' }),
    why: why.optional(),
    undone: z
      .strictObject({ revision: count.meta({ description: 'Of the last event of the commit that undid it' }), at: instant, actor: Actor })
      .optional()
      .meta({ description: 'By what it is undone now; missing: it is not, or that was undone in its turn' }),
    redacted: z.literal(true).optional().meta({ description: 'Data of it were redacted, so something is missing' }),
  })
  .meta({ id: 'Commit', description: 'What one request changed, as one append to the log' });

const COMMIT_EXAMPLE = {
  first: 12,
  revision: 14,
  at: '2026-03-01T12:00:00.000Z',
  cause: 'endpoint.call',
  actor: { kind: 'public', keyId: 'k1', label: 'game', player: PLAYER, endpoint: 'buy' },
  requestId: 'req_0000',
  publish: 8,
  target: 'live',
  events: ['document.written', 'ledger.posted'],
  players: [PLAYER],
  documents: [{ space: 'live', collection: 'saves', key: PLAYER, change: 'written' }],
  money: [{ player: PLAYER, collection: 'saves', key: PLAYER, field: 'gold', delta: -5 }],
} as const;

const link = z.string().meta({ description: 'Path of a route that goes on from here' });

const Publish = z.strictObject({
  revision: count,
  at: instant,
  action: z.enum(['publish', 'promote', 'rollback', 'renew']),
  target: z.enum(['live', 'next']),
  keyId: z.string().optional(),
  person: z.string().optional().meta({ description: 'Id of the person who published' }),
  label: z.string().optional().meta({ description: 'Of the key that published; name of the person' }),
  message: z.string().optional(),
  ticket: ticketSaid,
  changes: count.meta({ description: 'How many definitions it changed' }),
});

const Use = z
  .strictObject({
    kind: z.enum(['value', 'workflow', 'endpoint', 'library', 'collection']),
    id: z.string().meta({ description: 'Of the definition; of a value, the id of its group or table' }),
    entry: z.string().optional().meta({ description: 'Of a group, where the logic names one' }),
    collection: z.string().optional().meta({ description: 'Of a value: id of the collection that holds it' }),
    publish: Publish.nullable().meta({
      description: 'The last publish up to the commit that changed it; `null`: not among the last 200 of what holds it',
    }),
    links: z.record(z.string(), link),
  })
  .meta({ id: 'UseInForce', description: 'What an endpoint may read besides documents, as it was when it was called' });

/** What of a game has names. */
const DEFINED = ['collection', 'endpoint', 'workflow', 'library', 'board', 'query', 'value', 'rule', 'test'] as const;
/** What a game value or a part of something is. */
const PARTS = ['group', 'table', 'entry', 'row', 'column', 'block', 'field'] as const;

const Named = z
  .strictObject({
    id: z.string().meta({
      description: 'Of a value, its group or table; of a limit that a field has itself, its collection; of a document, its key',
    }),
    called: z.string().optional().meta({ description: 'What people call it, where that is something else; of an endpoint, its slug' }),
    what: z.enum(PARTS).optional().meta({ description: 'Of game values, which of them; of a part, what it is' }),
    part: z.string().optional().meta({
      description: 'What in it: the block of a library, the entry of a group, the row or column of a table, the field of a limit',
    }),
    collection: z.string().optional().meta({ description: 'Id of the collection of a document' }),
    field: z.string().optional().meta({ description: 'The unique field of the document that has this value' }),
    player: z.string().optional().meta({ description: 'Whose the document is' }),
    target: z.literal('next').optional().meta({ description: 'It is staged, and not in live' }),
  })
  .meta({ id: 'Named' });

/** Of each kind what fits best comes first. */
const namesFound = {
  names: z.array(z.strictObject({ is: z.enum(DEFINED), named: Named })).meta({
    description:
      'What fits best first: the name itself, one that begins so, one in which a word does, one that has it anywhere; 20 of each kind at most',
  }),
  more: z
    .array(z.enum([...DEFINED, ...PARTS]))
    .optional()
    .meta({ description: 'The kinds of which there are more' }),
};

const Meaning = z
  .strictObject({
    is: z.enum([
      ...([
        'revision',
        'publish',
        'ticket',
        'event',
        'request',
        'session',
        'saveRecord',
        'record',
        'sealedRequest',
        'idempotencyKey',
        'grant',
      ] as const),
      ...(['key', 'guest', 'player', 'person', 'document'] as const),
      ...DEFINED,
    ]),
    text: z.string().meta({ description: 'What it is, in a sentence' }),
    named: Named.optional().meta({
      description: 'What has this id, name or value: of a definition, game value, rule, document, key or person',
    }),
    commits: z.array(Commit).meta({ description: 'Where it stands, newest first, 5 at most' }),
    more: z.literal(true).optional().meta({ description: 'There are more commits, or older ones were not looked at' }),
    publish: Publish.optional().meta({ description: 'What was published' }),
    call: z
      .strictObject({
        endpoint: z.string(),
        definition: anyJson.meta({ description: 'The endpoint as it was defined when it was called; `null`: gone, or longer than 32 KB' }),
        publish: Publish.nullable().meta({ description: 'The publish that made it so; `null`: not among the last 200 before' }),
        uses: z.array(Use).meta({
          description:
            'Game values that its logic names (where a name is calculated: all), what it calls, and its collections, 20 at most. Found in the definitions, not in what ran',
        }),
        left: count.optional().meta({ description: 'How many more of those there are' }),
      })
      .optional()
      .meta({ description: 'Of the newest commit, where an endpoint made it; takes `endpoints: r`' }),
    followed: z
      .array(Commit)
      .optional()
      .meta({ description: 'The next commits that name a player of the newest one, oldest first, 10 at most' }),
    links: z.record(z.string(), link),
  })
  .meta({ id: 'Meaning', description: 'One thing that the id may be' });

const bound = (which: string) =>
  z.string().meta({ description: `${which} this revision, or this ISO time with its zone`, examples: ['1200', '2026-03-01T12:00:00Z'] });

export const commits = {
  list: route({
    ...about,
    id: 'listCommits',
    tag: 'Project',
    method: 'GET',
    path: '/:project/commits',
    summary: 'What happened, newest first: who, by which call, what it touched, who was paid',
    description: [
      'Of one player or ticket it is found by an index, however long ago. What no index serves (`endpoint`, `key`, `kind`) is looked for in the newest 2 000',
      'revisions of the range, or the newest 1 000 that name the player or ticket; `searched` is the revision down to which that was, and `before` goes on from there, also where a page',
      'is empty.',
    ].join('\n'),
    keys: managementKeys('r', 'history'),
    query: {
      player: z
        .string()
        .min(1)
        .meta({ description: 'That name this player, as who did it or whose data it is', examples: [PLAYER] }),
      ticket: z
        .string()
        .min(1)
        .meta({ description: 'Done for this ticket of the support desk, as it was named', examples: ['T-77'] }),
      endpoint: z
        .string()
        .min(1)
        .meta({ description: 'Of calls of this endpoint', examples: ['buy'] }),
      key: z.string().min(1).meta({ description: 'Made with the key of this id, or by the person of this id' }),
      kind: z
        .string()
        .min(1)
        .meta({
          description: 'Of this cause, or of those that begin so up to a dot: `document`, `endpoint.call`; several by commas',
          examples: ['endpoint'],
        }),
      changed: z
        .enum(['documents', 'money'])
        .meta({ description: 'That changed documents or save records, or moved money: of the player, where one is named' }),
      from: bound('Not before'),
      to: bound('Not after'),
      limit: pageSize,
      before: z.string().meta({ description: '`before` of the page before' }),
    },
    answers: {
      200: z
        .strictObject({
          ok,
          commits: z.array(Commit),
          called,
          searched: count.meta({ description: 'The lowest revision that was looked at' }),
          before: z.int().nullable().meta({ description: 'Of the next page; `null` at the end' }),
        })
        .meta({ id: 'Commits', description: 'A page of commits' }),
    },
    errors: ['INVALID_REQUEST', 'INVALID_PLATFORMID', 'BEHIND', 'BUSY', 'PAST_TIMEOUT'],
    idempotent: false,
    example: { query: { player: PLAYER }, answer: { ok: true, commits: [COMMIT_EXAMPLE], searched: 12, before: null } },
  }),
  explain: route({
    ...about,
    id: 'explain',
    tag: 'Project',
    method: 'GET',
    path: '/:project/explain/:held',
    summary: 'What an id is that somebody holds, and what belongs to it',
    description: [
      'Takes a revision, the id of an event (with or without the `.1` of a ledger entry), of a request as an error or a line of the log names it, of a',
      'session, a save record, a record, a key, a guest or a player, an idempotency key, a ticket for which something was done, or the revision of a publish; the id or name of a definition, of a',
      'group, table, entry, row or column of game values (`group.entry`), of a rate-limit rule, a saved test, of a person or key; a document as `collection/key`, or of a global collection by its key',
      'alone; and a value of a field with `_unique`. It says what that is, what was',
      'called and by which definition, who published that, which game values were in force and since which publish, what it changed, who was paid and what those players did next. An id that may be several things is answered as each.',
      'Definitions and game values that have it in their id or name are told as `alike`.',
      'Refused calls are told as long as the call log keeps them.',
      'Each is told to whoever may read it, and so is each link: what the log knows takes `history`, documents `history` or `collections: x`, definitions the scope of',
      'their kind, keys `settings`, refused calls what `logs` takes; who published and why is told to whoever may read `publishes`, or a definition that it changed. People are',
      'told to people who manage them. `leftOut` says what is missing.',
    ].join('\n'),
    keys: EXPLAINING_KEYS,
    query: {
      withoutFollowed: flag('Leaves out `followed`: where documents are large it takes longer than all else'),
    },
    answers: {
      200: z
        .strictObject({
          ok,
          id: z.string(),
          meanings: z.array(Meaning),
          calls: z.array(LoggedRequest).meta({ description: 'What the call log has of the request, 10 at most' }),
          called,
          alike: z.strictObject(namesFound).optional().meta({
            description: 'Definitions and game values that have it in their id or name, and are not called so',
          }),
          personal: z
            .array(z.strictObject({ collection: z.string(), field: z.string() }))
            .optional()
            .meta({
              description: 'Unique fields that were not looked in, because they are personal and no reason was given to reveal them',
            }),
          leftOut: z
            .array(z.strictObject({ part: z.enum(['call', 'uses', 'publish', 'key', 'calls', 'log']), why: z.string() }))
            .optional()
            .meta({ description: 'What is not told, because whoever asks may not read it: parts of meanings, and what the call log has' }),
        })
        .meta({ id: 'Explained', description: 'What an id may be' }),
    },
    errors: ['NOT_FOUND', 'INVALID_REQUEST', 'BEHIND', 'BUSY', 'PAST_TIMEOUT', 'REDACTED'],
    idempotent: false,
    example: {
      params: { held: 'req_0000' },
      answer: {
        ok: true,
        id: 'req_0000',
        meanings: [
          {
            is: 'request',
            text: 'A request',
            commits: [COMMIT_EXAMPLE],
            links: { calls: '/v3/manage/demo/logs?requestId=req_0000' },
          },
        ],
        calls: [],
      },
    },
  }),
  names: route({
    ...about,
    id: 'findNames',
    tag: 'Project',
    method: 'GET',
    path: '/:project/names',
    summary: 'Definitions and game values that have a text in their id or name',
    description: [
      'Of live, and of what is staged; in any letter case: definitions of every kind, groups and tables, entries, rows and columns, rules and saved tests. Each is told to whoever may',
      'read its kind. Nothing of players is looked through. `explain` takes ids of everything else, too.',
    ].join('\n'),
    keys: EXPLAINING_KEYS,
    query: {
      holds: z
        .string()
        .min(1)
        .max(128)
        .meta({ description: 'What the id or name has in it', examples: ['axe'] }),
    },
    answers: { 200: z.strictObject({ ok, ...namesFound }).meta({ id: 'NamesFound' }) },
    errors: ['INVALID_REQUEST'],
    idempotent: false,
    example: {
      query: { holds: 'axe' },
      answer: { ok: true, names: [{ is: 'value', named: { id: 'axes', called: 'Axes', what: 'table' } }] },
    },
  }),
} as const;
