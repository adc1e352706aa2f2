import { z } from 'zod';
import { REPORT_KEYS } from '../credentials.ts';
import { AS_PLAYER, PLAYER, TARGET } from '../parameters.ts';
import { route } from '../route.ts';

const lastEventId = z.string().meta({
  description:
    'The last `id` that came: what has changed since is sent, and nothing else. Browsers send it by themselves when they come back',
});

export const live = {
  listen: route({
    id: 'listen',
    method: 'GET',
    path: '/:project',
    family: 'live',
    tag: 'Live',
    summary: 'A stream of changes, as server-sent events',
    description: [
      'One stream for any number of topics (`LIVE_TOPICS`). A topic is the path of a plain read, and follows its rules of access:',
      '',
      '| Topic | A message is what this answers |',
      '|---|---|',
      '| `documents/COLLECTION/KEY` | the document, with its `version`; `null`: there is none |',
      '| `ledger/COLLECTION/KEY?field=&limit=&order=` | the ledger; 100 entries where no limit is named. `order=desc`: the newest, first |',
      '| `records/COLLECTION/PLAYER` | the save records |',
      '| `query/QUERY?limit=&offset=&platformId=&around=` | the query, at most once a second. `around` without `platformId`: around the player |',
      '| `values` | the game values |',
      '| `publishes?limit=` | the publishes; takes a secret key |',
      '',
      'Without a key or player it is the own one. The present value of every topic comes first, then each new one. `data` of a message is',
      '`{"topic", "revision", "value"}`: the value as of that revision of the project\'s log. Values that a client is too slow for are left out; the last',
      'one always comes.',
      '',
      'Event `refused`: `{"topic", "error": {"code", "message", "status"}}`, what the plain read would be refused with, at the beginning or when keys,',
      'sessions or definitions have changed. If that changes again, the value comes. Without a topic the stream ends.',
      '',
      'Event `resync`: `{"revision"}`, it is not known any more what the client has missed, and all present values follow. With a topic: its value is',
      'too large for the stream (`LIVE_WAITING`), and is to be read by itself.',
      '',
      'Event `stale`: `{"stale": true}`, this node has lost sight of the log for a second or more, so there may be later values than those that it',
      'sent, as `x-ns-stale` says of a plain read; `{"stale": false}`: it sees the log again, and what has changed follows.',
      '',
      '`id` is a revision: all changes of the topics up to it were sent. Sent back as `Last-Event-ID`, on any node, the stream goes on from there.',
      'It is empty where a topic was refused: a client that comes back is sent all values then. A topic may say for itself how far it is:',
      '`documents/saves/7@41` has the value as of 41.',
    ].join('\n'),
    // Any key opens the stream. A topic is refused where its plain read would be.
    keys: REPORT_KEYS,
    query: {
      topic: z
        .array(z.string())
        .meta({ description: 'What to listen to, as often as there are topics', examples: [[`documents/saves/${PLAYER}`]] }),
      lastEventId: lastEventId,
    },
    headers: { ...AS_PLAYER, ...TARGET, 'Last-Event-ID': lastEventId },
    answers: { 200: z.string() },
    texts: { 'text/event-stream': 'Server-sent events' },
    noJson: true,
    errors: [
      ...(['INVALID_REQUEST', 'BUSY', 'BEHIND', 'KEY_DISABLED', 'PLATFORM_AUTH_FAILED'] as const),
      ...(['AUTH_SESSION_INVALID', 'AUTH_SESSION_EXPIRED', 'AUTH_SESSION_PLATFORMID_MISMATCH'] as const),
    ],
    idempotent: false,
    example: { query: { topic: 'values' } },
  }),
} as const;
