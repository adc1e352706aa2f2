import type { AnswerKept, DomainEvent, RequestIdentityType, Space, UniqueChange } from './events.ts';

/**
 * A subject is what a decision reads and an event changes. Its key is a text of parts joined by `/`. No part can hold a `/`: ids and document
 * keys have a grammar without it, and texts chosen by callers come last.
 */
export type SubjectKey = string;

export const DEFINITIONS: SubjectKey = 'definitions';
/** Project, settings, keys and game package. */
export const AUTHORITY: SubjectKey = 'authority';

/** The last document's subject, cached: a write names its document and collection several times, and a new text would be hashed anew. */
let document = { space: '', collection: '', key: '', subject: '' };
let whole = { space: '', collection: '', subject: '' };

export function documentSubject(space: Space, collection: string, key: string): SubjectKey {
  if (document.key !== key || document.collection !== collection || document.space !== space) {
    document = { space, collection, key, subject: `document/${space}/${collection}/${key}` };
  }
  return document.subject;
}

/** A collection as a whole: scans and queries read it, every write in it changes it. */
export function collectionSubject(space: Space, collection: string): SubjectKey {
  if (whole.collection !== collection || whole.space !== space) {
    whole = { space, collection, subject: `collection/${space}/${collection}` };
  }
  return whole.subject;
}

/** `counter` is `WindowChange.counter`. */
export function windowSubject(space: Space, counter: string): SubjectKey {
  return `window/${space}/${counter}`;
}

/** A value of a unique field, by `Held.hash`. */
export function uniqueSubject(space: Space, collection: string, hash: string): SubjectKey {
  return `unique/${space}/${collection}/${hash}`;
}

/** An `Idempotency-Key` of one caller; see `AnswerKept`. */
export function idempotencySubject({ space, scope, caller, key }: Pick<AnswerKept, 'space' | 'scope' | 'caller' | 'key'>): SubjectKey {
  return `idempotency/${space}/${scope}/${caller}/${key}`;
}

/** A family of auth sessions; `family` is the id of the first. */
export function sessionSubject(family: string): SubjectKey {
  return `session/${family}`;
}

/** A guest, by its id. */
export function guestSubject(guest: string): SubjectKey {
  return `guest/${guest}`;
}

/** What leads to a guest: `code` with the hash of a recovery code, or `account` with the id of a player. */
export function guestNameSubject(kind: 'code' | 'account', name: string): SubjectKey {
  return `guest-name/${kind}/${name}`;
}

export function requestSubject(type: RequestIdentityType, identity: string, requestId: string): SubjectKey {
  return `request/${type}/${identity}/${requestId}`;
}

/** A player's save records in a collection. */
export function recordListSubject(space: Space, collection: string, player: string): SubjectKey {
  return `records/${space}/${collection}/${player}`;
}

/** A page of the project. Pages are not staged. */
export function pageSubject(slug: string): SubjectKey {
  return `page/${slug}`;
}

/** The collection in which an event changes something. */
export function collectionChangedBy(event: DomainEvent): SubjectKey | null {
  const { type, data } = event;
  if (type !== 'document.written' && type !== 'document.deleted' && type !== 'record.appended') return null;
  return collectionSubject(data.space, data.collection);
}

/** Every subject whose state an event changes; for the collection as a whole see {@link collectionChangedBy}. */
export function subjectsOf(event: DomainEvent): SubjectKey[] {
  switch (event.type) {
    case 'project.created':
    case 'project.deleted':
    case 'settings.changed':
    case 'key.issued':
    case 'key.changed':
    case 'key.revoked':
    case 'package.synced':
      return [AUTHORITY];
    case 'source.stored':
    case 'definitions.published':
    case 'definitions.promoted':
    case 'definitions.rolledBack':
    case 'definitions.nextRenewed':
      return [DEFINITIONS];
    case 'document.written': {
      const { space, collection, key, windows, unique } = event.data;
      const subjects = [documentSubject(space, collection, key)];
      for (const change of windows ?? []) subjects.push(windowSubject(space, change.counter));
      if (unique !== undefined) subjects.push(...uniqueSubjects(space, collection, unique));
      return subjects;
    }
    case 'document.deleted': {
      const { space, collection, key, unique } = event.data;
      return [documentSubject(space, collection, key), ...(unique === undefined ? [] : uniqueSubjects(space, collection, unique))];
    }
    case 'unique.claimed': {
      const { space, collection, claims } = event.data;
      return claims.map(([hash]) => uniqueSubject(space, collection, hash));
    }
    case 'record.appended': {
      const { space, collection, recordId, windows, idempotency, unique } = event.data;
      const subjects = [documentSubject(space, collection, recordId)];
      if (unique !== undefined) subjects.push(...uniqueSubjects(space, collection, unique));
      for (const change of windows ?? []) subjects.push(windowSubject(space, change.counter));
      if (idempotency) subjects.push(idempotencySubject({ space, scope: collection, ...idempotency }));
      return subjects;
    }
    case 'call.counted':
      return event.data.windows.map(({ counter }) => windowSubject(event.data.space, counter));
    case 'session.created':
      return [sessionSubject(event.data.sessionId)];
    case 'session.refreshed':
    case 'session.revoked':
      return [sessionSubject(event.data.family)];
    case 'guest.registered':
    case 'guest.joined':
    case 'guest.deviceRevoked':
      return [guestSubject(event.data.guest)];
    case 'guest.codeIssued':
      return [guestSubject(event.data.guest), guestNameSubject('code', event.data.hash)];
    case 'guest.linked':
    case 'guest.unlinked':
      return [guestSubject(event.data.guest), guestNameSubject('account', event.data.account)];
    case 'request.consumed':
      return [requestSubject(event.data.identityType, event.data.identity, event.data.requestId)];
    case 'record.created':
    case 'record.renamed':
    case 'record.deleted':
      return [recordListSubject(event.data.space, event.data.collection, event.data.player)];
    case 'page.saved':
    case 'page.removed':
      return [pageSubject(event.data.slug)];
    case 'answer.kept':
      return [idempotencySubject(event.data)];
    case 'write.flagged':
    // What it forgets had expired, so no decision depends on whether it is still there.
    case 'access.swept':
    case 'answers.swept':
      return [];
  }
}

function uniqueSubjects(space: Space, collection: string, { taken, freed }: UniqueChange): SubjectKey[] {
  return [...taken, ...freed].map((hash) => uniqueSubject(space, collection, hash));
}
