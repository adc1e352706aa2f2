import type { EventData } from '../contract/events/index.ts';
import type {
  AnswerKept,
  DefinitionKind,
  DomainEvent,
  EventType,
  RequestIdentityType,
  Space,
  UniqueChange,
  WindowChange,
} from './events.ts';
import type { StateOf, SubjectKind, SubjectState } from './states.ts';

/**
 * A subject is what a decision reads and an event changes. Its key is a text of parts joined by `/`, of which the first is its kind. No
 * part can hold a `/`: ids and document keys have a grammar without it, and texts chosen by callers come last.
 */
export type SubjectKey = string;

declare const KIND: unique symbol;

/** The key of a subject of one kind. It is made here alone, so the type of its state is known wherever it is read. */
export type Subject<K extends SubjectKind = SubjectKind> = string & { readonly [KIND]: K };

export const DEFINITIONS = 'definitions' as Subject<'definitions'>;
/** What is to go live: who staged it, and who approved it. */
export const RELEASE = 'release' as Subject<'release'>;
/** Project, settings, keys and game package. */
export const AUTHORITY = 'authority' as Subject<'authority'>;

function subject<K extends SubjectKind>(kind: K, path: string): Subject<K> {
  return `${kind}/${path}` as Subject<K>;
}

/** The kind of a subject. */
export function kindOf(key: Subject): SubjectKind {
  const end = key.indexOf('/');
  return (end < 0 ? key : key.slice(0, end)) as SubjectKind;
}

/** The state, if the subject is of this kind. */
export function stateOf<K extends SubjectKind>(kind: K, key: Subject, state: SubjectState | null): StateOf[K] | null {
  return kindOf(key) === kind ? (state as StateOf[K] | null) : null;
}

export function documentSubject(space: Space, collection: string, key: string): Subject<'document'> {
  return subject('document', `${space}/${collection}/${key}`);
}

/** A collection as a whole, which has no state: scans and queries read it, every write in it changes it. */
export function collectionSubject(space: Space, collection: string): SubjectKey {
  return `collection/${space}/${collection}`;
}

/** `counter` is `WindowChange.counter`. */
export function windowSubject(space: Space, counter: string): Subject<'window'> {
  return subject('window', `${space}/${counter}`);
}

/** A value of a unique field, by `UniqueValue.hash`. */
export function uniqueSubject(space: Space, collection: string, hash: string): Subject<'unique'> {
  return subject('unique', `${space}/${collection}/${hash}`);
}

/** An `Idempotency-Key` of one caller; see `AnswerKept`. */
export function idempotencySubject({
  space,
  scope,
  caller,
  key,
}: Pick<AnswerKept, 'space' | 'scope' | 'caller' | 'key'>): Subject<'idempotency'> {
  return subject('idempotency', `${space}/${scope}/${caller}/${key}`);
}

/** A family of auth sessions; `family` is the id of the first. */
export function sessionSubject(family: string): Subject<'session'> {
  return subject('session', family);
}

/** A guest, by its id. */
export function guestSubject(guest: string): Subject<'guest'> {
  return subject('guest', guest);
}

/** What leads to a guest: `code` with the hash of a recovery code, or `account` with the id of a player. */
export function guestNameSubject(kind: 'code' | 'account', name: string): Subject<'guest-name'> {
  return subject('guest-name', `${kind}/${name}`);
}

export function requestSubject(type: RequestIdentityType, identity: string, requestId: string): Subject<'request'> {
  return subject('request', `${type}/${identity}/${requestId}`);
}

/** A player's save records in a collection. */
export function recordListSubject(space: Space, collection: string, player: string): Subject<'records'> {
  return subject('records', `${space}/${collection}/${player}`);
}

/** Whether a commit is undone; `revision`: its last. */
export function undoneSubject(revision: number): Subject<'undone'> {
  return subject('undone', String(revision));
}

/** Whether an alarm of the economy was raised for this window. */
export function alarmSubject(alarm: string, window: string): Subject<'alarm'> {
  return subject('alarm', `${alarm}/${window}`);
}

/** What support gives to many players, by its id. */
export function grantSubject(grant: string): Subject<'grant'> {
  return subject('grant', grant);
}

/** What a grant did for one player. */
export function grantPlayerSubject(grant: string, player: string): Subject<'grant-player'> {
  return subject('grant-player', `${grant}/${player}`);
}

/** A page of the project. Pages are not staged. */
export function pageSubject(slug: string): Subject<'page'> {
  return subject('page', slug);
}

/** A player in the index of subjects: every event that names him. */
export function playerSubject(player: string): SubjectKey {
  return `player/${player}`;
}

/** An id in the index of subjects, of whatever kind: a session, save record, request, command, event or idempotency key. */
export function idSubject(id: string): SubjectKey {
  return `id/${id}`;
}

/** A definition in the index of subjects: every publish, promotion and rollback that names it. */
export function definitionSubject(kind: DefinitionKind, id: string): SubjectKey {
  return `definition/${kind}/${id}`;
}

/** Every promotion in the index of subjects: it ends what was staged, also what it does not name. */
export const PROMOTIONS: SubjectKey = 'promotions';

/** The text of a definition in the index of subjects, by its hash. */
export function sourceSubject(hash: string): SubjectKey {
  return `source/${hash}`;
}

/** The collection in which an event changes something. */
export function collectionChangedBy(event: DomainEvent): SubjectKey | null {
  const { type, data } = event;
  if (type !== 'document.written' && type !== 'document.deleted' && type !== 'record.appended') return null;
  return collectionSubject(data.space, data.collection);
}

/** The document that an event changes. */
export function documentChangedBy({ type, data }: DomainEvent): Subject<'document'> | null {
  if (type === 'record.appended') return documentSubject(data.space, data.collection, data.recordId);
  if (type !== 'document.written' && type !== 'document.deleted') return null;
  return documentSubject(data.space, data.collection, data.key);
}

/** Whether events of this type change the project, its settings or its keys. */
export function changesAuthority(type: EventType): boolean {
  return SUBJECTS[type] === authority;
}

/** Every subject whose state an event changes; for the collection as a whole see {@link collectionChangedBy}. */
export function subjectsOf<T extends EventType>({ type, data }: { readonly type: T; readonly data: EventData[T] }): Subject[] {
  return SUBJECTS[type](data);
}

type SubjectsByEvent = { readonly [T in EventType]: (data: EventData[T]) => Subject[] };

const authority = () => [AUTHORITY];
const definitions = () => [DEFINITIONS];
const publish = () => [DEFINITIONS, RELEASE];
const release = () => [RELEASE];
const none = () => [];

const SUBJECTS: SubjectsByEvent = {
  'project.created': authority,
  'project.deleted': authority,
  'settings.changed': authority,
  'key.issued': authority,
  'key.changed': authority,
  'key.revoked': authority,
  'package.synced': authority,
  'source.stored': definitions,
  'definitions.published': publish,
  'definitions.promoted': publish,
  'definitions.rolledBack': publish,
  'definitions.nextRenewed': definitions,
  'document.written': ({ space, collection, key, windows, unique }) => {
    return [documentSubject(space, collection, key), ...windowSubjects(space, windows), ...uniqueSubjects(space, collection, unique)];
  },
  'document.deleted': ({ space, collection, key, unique }) => {
    return [documentSubject(space, collection, key), ...uniqueSubjects(space, collection, unique)];
  },
  'record.appended': ({ space, collection, recordId, windows, unique }) => {
    const record = documentSubject(space, collection, recordId);
    return [record, ...uniqueSubjects(space, collection, unique), ...windowSubjects(space, windows)];
  },
  'ledger.posted': ({ space, postings }) => [...new Set(postings.map(({ collection, key }) => documentSubject(space, collection, key)))],
  'unique.claimed': ({ space, collection, claims }) => claims.map(([hash]) => uniqueSubject(space, collection, hash)),
  'call.recorded': none,
  'button.pressed': none,
  'call.counted': ({ space, windows }) => windowSubjects(space, windows),
  'session.created': ({ sessionId }) => [sessionSubject(sessionId)],
  'session.refreshed': ({ family }) => [sessionSubject(family)],
  'session.revoked': ({ family }) => [sessionSubject(family)],
  'guest.registered': ({ guest }) => [guestSubject(guest)],
  'guest.joined': ({ guest }) => [guestSubject(guest)],
  'guest.deviceRevoked': ({ guest }) => [guestSubject(guest)],
  'guest.codeIssued': ({ guest, hash }) => [guestSubject(guest), guestNameSubject('code', hash)],
  'guest.linked': ({ guest, account }) => [guestSubject(guest), guestNameSubject('account', account)],
  'guest.unlinked': ({ guest, account }) => [guestSubject(guest), guestNameSubject('account', account)],
  'request.consumed': ({ identityType, identity, requestId }) => [requestSubject(identityType, identity, requestId)],
  'record.created': ({ space, collection, player }) => [recordListSubject(space, collection, player)],
  'record.renamed': ({ space, collection, player }) => [recordListSubject(space, collection, player)],
  'record.deleted': ({ space, collection, player }) => [recordListSubject(space, collection, player)],
  'correction.made': ({ undone = [] }) => undone.map(([revision]) => undoneSubject(revision)),
  'grant.begun': ({ grant }) => [grantSubject(grant)],
  'grant.moved': ({ grant }) => [grantSubject(grant)],
  'grant.served': ({ grant, player }) => [grantPlayerSubject(grant, player)],
  // Nothing is decided by the list: whoever drives the grant reads it.
  'grant.listed': none,
  'approval.requested': release,
  'approval.given': release,
  'approval.declined': release,
  'approval.withdrawn': release,
  'approval.bypassed': release,
  'approval.commented': none,
  'promotion.scheduled': release,
  'promotion.unscheduled': release,
  'promotion.missed': release,
  'alarm.raised': ({ alarm, window }) => [alarmSubject(alarm, window)],
  'page.saved': ({ slug }) => [pageSubject(slug)],
  'page.removed': ({ slug }) => [pageSubject(slug)],
  'answer.kept': (data) => [idempotencySubject(data)],
  'write.flagged': none,
  // What a sweep removes had expired, so no decision depends on whether it is still there.
  'access.swept': none,
  'answers.swept': none,
  'publish.awaited': none,
  'log.foreign': none,
  'log.redacted': none,
  'data.redacted': none,
};

function windowSubjects(space: Space, windows: readonly WindowChange[] | undefined): Subject[] {
  return windows?.map(({ counter }) => windowSubject(space, counter)) ?? [];
}

function uniqueSubjects(space: Space, collection: string, unique: UniqueChange | undefined): Subject[] {
  if (unique === undefined) return [];
  return [...unique.taken, ...unique.freed].map((hash) => uniqueSubject(space, collection, hash));
}
