import { refusal } from '../../kernel/errors.ts';
import { acceptMember } from '../wire-names.ts';

/**
 * What a client of the live stream listens to. A topic is written as the path of the plain read that it stands for:
 *
 * - `documents/{collection}/{key}`, `ledger/{collection}/{key}`, `records/{collection}/{key}`: without a key the player's own
 * - `query/{query}?limit=&offset=&platformId=&around=`: with `around` and without `platformId` the rows around the player
 * - `values`
 * - `publishes?limit=`
 *
 * `@{revision}` may follow: the client has the value as of that revision.
 */
export interface Topic {
  /** As the client wrote it, without the revision. It names the topic in messages. */
  readonly text: string;
  readonly kind: TopicKind;
  /** Of a collection or query: its id or name. Empty for others. */
  readonly of: string;
  /** `null`: the player's own. */
  readonly key: string | null;
  readonly options: ReadonlyMap<string, string>;
  /** `null`: the client has no value. */
  readonly since: number | null;
}

type TopicKind = keyof typeof FORMS;

/** For each kind, the least and the greatest number of names that follow it, and its options. */
const FORMS = {
  documents: { names: [1, 2], options: [] },
  ledger: { names: [1, 2], options: ['field', 'limit', 'order'] },
  records: { names: [1, 2], options: [] },
  query: { names: [1, 1], options: ['limit', 'offset', 'platformId', 'around'] },
  values: { names: [0, 0], options: [] },
  publishes: { names: [0, 0], options: ['limit'] },
} as const satisfies Record<string, { readonly names: readonly [number, number]; readonly options: readonly string[] }>;

const TOPIC_KINDS = Object.keys(FORMS) as readonly TopicKind[];

const TOPIC = /^([^?@]+)(?:\?([^@]*))?(?:@(\d{1,15}))?$/;
const LONGEST = 1_024;

/** Throws 400 INVALID_REQUEST if the text is not a topic. */
export function readTopic(text: string): Topic {
  const [, path = '', search = '', since] = (text.length > LONGEST ? null : TOPIC.exec(text)) ?? [];
  const [kind = '', ...names] = path.split('/');
  if (!isKind(kind)) throw notATopic(text, `a topic begins with one of ${TOPIC_KINDS.join(', ')}`);
  const { names: bounds, options: known } = FORMS[kind];
  const [least, most] = bounds;
  if (names.length < least || names.length > most || names.includes('')) throw notATopic(text, FORM_OF[kind]);
  const options = new Map([...new URLSearchParams(search)].map(([name, value]) => [acceptMember(name), value]));
  for (const name of options.keys()) {
    if (!(known as readonly string[]).includes(name)) throw notATopic(text, `\`${name}\` is not an option of ${kind}; ${FORM_OF[kind]}`);
  }
  const revision = since === undefined ? null : Number(since);
  const written = search === '' ? path : `${path}?${search}`;
  return { text: written, kind, of: names[0] ?? '', key: names[1] ?? null, options, since: revision };
}

function isKind(kind: string): kind is TopicKind {
  return Object.hasOwn(FORMS, kind);
}

const FORM_OF: Readonly<Record<TopicKind, string>> = {
  documents: 'write documents/COLLECTION/KEY',
  ledger: 'write ledger/COLLECTION/KEY, optionally with ?field=PATH&limit=N&order=desc',
  records: 'write records/COLLECTION/PLAYER',
  query: 'write query/QUERY, optionally with ?limit=N&offset=N&platformId=KEY&around=N',
  values: 'write values',
  publishes: 'write publishes, optionally with ?limit=N',
};

function notATopic(text: string, why: string): Error {
  return refusal('INVALID_REQUEST', `${JSON.stringify(text.slice(0, 100))} is not a topic: ${why}`);
}
