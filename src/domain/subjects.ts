import type { DomainEvent, Space } from './events.ts';

/**
 * A subject is what a decision reads and an event changes. Its key is a text with `/` between parts that cannot hold one (ids and
 * document keys have a grammar without it; caller-chosen texts come last).
 */
export type SubjectKey = string;

export const DEFINITIONS: SubjectKey = 'definitions';
/** Project, settings, keys and game package. */
export const AUTHORITY: SubjectKey = 'authority';

export function documentSubject(space: Space, collection: string, key: string): SubjectKey {
  return `document/${space}/${collection}/${key}`;
}

/** A collection as a whole: scans and queries read it, every write in it changes it. */
export function collectionSubject(space: Space, collection: string): SubjectKey {
  return `collection/${space}/${collection}`;
}

/** `counter` is `WindowChange.counter`. */
export function windowSubject(space: Space, counter: string): SubjectKey {
  return `window/${space}/${counter}`;
}

export function idempotencySubject(space: Space, collection: string, caller: string, key: string): SubjectKey {
  return `idempotency/${space}/${collection}/${caller}/${key}`;
}

/** Every subject that an event changes, the collection as a whole included. */
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
      return [DEFINITIONS];
    case 'document.written': {
      const { space, collection, key, windows } = event.data;
      const subjects = [documentSubject(space, collection, key), collectionSubject(space, collection)];
      for (const change of windows ?? []) subjects.push(windowSubject(space, change.counter));
      return subjects;
    }
    case 'document.deleted': {
      const { space, collection, key } = event.data;
      return [documentSubject(space, collection, key), collectionSubject(space, collection)];
    }
    case 'record.appended': {
      const { space, collection, recordId, windows, idempotency } = event.data;
      const subjects = [documentSubject(space, collection, recordId), collectionSubject(space, collection)];
      for (const change of windows ?? []) subjects.push(windowSubject(space, change.counter));
      if (idempotency) subjects.push(idempotencySubject(space, collection, idempotency.caller, idempotency.key));
      return subjects;
    }
    case 'write.flagged':
      return [];
  }
}
