import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { ProjectorLogger } from '../../projections/projector/context.ts';
import { createProjector, type Projector, type ProjectorOptions } from '../../projections/projector/projector.ts';
import { PackedDocument } from '../../src/domain/document/packed.ts';
import { withPosting } from '../../src/domain/document/posting.ts';
import { type DefinitionChange, type DomainEvent, type LedgerEntry, type PublishTarget, SCHEMA_VERSIONS } from '../../src/domain/events.ts';
import type { SubjectState } from '../../src/domain/states.ts';
import { hashText } from '../../src/kernel/hash.ts';
import { ExactNumber, encodeEvent, type JsonObject } from '../../src/kernel/json.ts';
import { NO_HASH, seal } from '../../src/log/chain.ts';
import type { Log, NewEvent } from '../../src/log/port.ts';
import { projectStream } from '../../src/log/streams.ts';
import { migratedDatabase } from '../support/postgres.ts';

/** A pool on a fresh, migrated database. */
export async function freshPool(max = 6): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await migratedDatabase(), max });
  pool.on('error', () => undefined);
  return pool;
}

/** Writes one project's stream, sealed. Times begin at 1000 and grow by one for each event. */
export class Feed {
  readonly projectId: string;
  readonly #log: Log;
  #hash = NO_HASH;
  revision = -1;
  /** Milliseconds by which further events are later. */
  later = 0;
  /** Part of the input of the hash chain, so that another feed of the same project has another history. */
  readonly #salt: string;

  constructor(log: Log, projectId: string, salt = '') {
    this.#log = log;
    this.projectId = projectId;
    this.#salt = salt;
  }

  async commit(...events: readonly DomainEvent[]): Promise<number> {
    const sealed = withPosting(events).map(({ type, data }, index) => this.seal(type, encodeEvent(data), SCHEMA_VERSIONS[type], index));
    return this.append(sealed);
  }

  seal(type: string, data: string, schemaVersion: number, index = 0): NewEvent {
    const recordedAt = 1_000 + this.later + this.revision + 1 + index;
    const metadata = { commandId: `c${this.#salt}`, cause: 'test', actor: { kind: 'operator' }, schemaVersion, recordedAt };
    const { event, hash } = seal(this.#hash, { id: randomUUID(), type, data, metadata: JSON.stringify(metadata) });
    this.#hash = hash;
    return event;
  }

  async append(events: readonly NewEvent[]): Promise<number> {
    const stream = projectStream(this.projectId);
    const result = await this.#log.append(stream, this.revision < 0 ? 'none' : this.revision, events);
    if (!result.ok) throw new Error(`conflict at ${result.actual}`);
    this.revision = result.revision;
    return this.revision;
  }

  /** Stores and publishes definitions by id; `null` deletes one. */
  async publish(
    target: PublishTarget,
    definitions: readonly (readonly [DefinitionChange['kind'], string, JsonObject | null])[],
  ): Promise<number> {
    const stored = definitions.flatMap(([, , value]): DomainEvent[] => {
      if (value === null) return [];
      const text = JSON.stringify(value);
      return [{ type: 'source.stored', data: { hash: hashText(text), part: 0, parts: 1, text } }];
    });
    const changes = definitions.map(([kind, id, value]) => ({ kind, id, hash: value === null ? null : hashText(JSON.stringify(value)) }));
    return this.commit(...stored, { type: 'definitions.published', data: { target, changes, hash: `set-${this.revision}` } });
  }
}

export interface Lines extends ProjectorLogger {
  readonly lines: readonly string[];
}

export function memoryLogger(): Lines {
  const lines: string[] = [];
  const note = (fields: object, message: string) => {
    const error = 'err' in fields && fields.err instanceof Error ? `: ${fields.err.message}` : '';
    lines.push(`${message}${error}`);
  };
  return { lines, info: note, warn: note, error: note };
}

/** Runs a projector for the duration of `work`. */
export async function projecting<T>(
  options: Omit<ProjectorOptions, 'logger'> & { readonly logger?: ProjectorLogger },
  work: (projector: Projector) => Promise<T>,
): Promise<T> {
  const projector = createProjector({ logger: memoryLogger(), ...options });
  await projector.start();
  try {
    return await work(projector);
  } finally {
    await projector.stop();
  }
}

/** Projects everything that a feed has written so far. */
export async function project(pool: pg.Pool, log: Log, ...feeds: readonly Feed[]): Promise<void> {
  await projecting({ pool, log }, async (projector) => {
    for (const feed of feeds) await reached(projector, feed);
  });
}

export async function reached(projector: Projector, feed: Feed, revision = feed.revision): Promise<void> {
  if (!(await projector.waitFor(feed.projectId, revision, 60_000))) throw new Error(`${feed.projectId} did not reach ${revision}`);
}

/** Further members of an event's data, and the entries that it makes in the ledger. */
export type More = Readonly<Record<string, unknown>> & { readonly ledger?: readonly LedgerEntry[] };

function ledgerOf({ ledger, ...data }: More) {
  return { data, ledger: ledger && { entries: ledger, balances: undefined } };
}

export function written(key: string, document: JsonObject, version = 1, more: More = {}): DomainEvent {
  const { data, ledger } = ledgerOf(more);
  return {
    type: 'document.written',
    data: { space: 'live', collection: 'saves', key, version, document, definition: 'd', ...data },
    ledger,
  };
}

export function changed(
  key: string,
  changes: readonly (readonly [string, JsonObject[string]])[],
  version = 2,
  more: More = {},
): DomainEvent {
  const { data, ledger } = ledgerOf(more);
  return {
    type: 'document.written',
    data: { space: 'live', collection: 'saves', key, version, changes, definition: 'd', ...data },
    ledger,
  };
}

export function deleted(key: string, version = 2, more: More = {}): DomainEvent {
  const { data, ledger } = ledgerOf(more);
  return { type: 'document.deleted', data: { space: 'live', collection: 'saves', key, version, definition: 'd', ...data }, ledger };
}

export function appended(recordId: string, timestamp: number, document: JsonObject = { n: 1 }, more: More = {}): DomainEvent {
  const { data, ledger } = ledgerOf(more);
  return {
    type: 'record.appended',
    data: { space: 'live', collection: 'feed', recordId, timestamp, writerId: 'w', document, definition: 'd', ...data },
    ledger,
  };
}

/** About a save record of `p1`. */
function slot(recordId: string, more: object = {}) {
  return { space: 'live' as const, collection: 'saves', player: 'p1', recordId, definition: 'd', ...more };
}

const keyed = { space: 'live', scope: '@k1', caller: 'p1', request: 'h' } as const;

/** Every event type at least once, so that every table has rows. */
export async function fillAll(feed: Feed): Promise<void> {
  await feed.commit(
    { type: 'project.created', data: { projectId: feed.projectId, name: 'Demo' } },
    { type: 'key.issued', data: { keyId: 'k1', kind: 'public', label: 'game', hash: 'h1', display: 'pub', permissions: null } },
    {
      type: 'key.issued',
      data: { keyId: 'k2', kind: 'secret', label: 'server', hash: 'h2', display: 'sec…', permissions: { storage: 'rw' } },
    },
    { type: 'settings.changed', data: { changes: { big: 1, nextData: 'isolated' } } },
    { type: 'package.synced', data: { changes: { packageIdent: 'org.demo', currentRevisionId: 3 } } },
  );
  await feed.publish('live', [
    ['collection', 'saves', { id: 'saves', name: 'Saves', collectionType: 'per-platformid' }],
    ['collection', 'feed', { id: 'feed', name: 'Feed', collectionType: 'global' }],
    ['query', 'top', topQuery('desc')],
  ]);
  await feed.commit(
    written('p1', { stats: { xp: 5 }, name: 'é' }, 1, {
      ledger: [{ field: 'stats.xp', before: 0, after: 5, delta: 5, source: 'quest', reason: 'first' }],
      windows: [{ counter: 'r1/saves/stats.xp/p1/perDay', rule: 'r1', window: 'perDay', start: 0, before: 0, after: 5, flagged: true }],
    }),
    written('p2', { stats: { xp: 9 } }, 1, { unique: { taken: ['h-p2', 'h-kept'], freed: [] } }),
    changed('p1', [['stats.xp', 7]], 2, { ledger: [{ field: 'stats.xp', before: 5, after: 7, delta: 2, source: 'shop' }] }),
    deleted('p2', 2, { unique: { taken: [], freed: ['h-p2'] } }),
    {
      type: 'write.flagged',
      data: { space: 'live', collection: 'saves', key: 'p1', rule: 'r1', window: 'perDay', start: 0, subject: 'p1', amount: 5, limit: 4 },
    },
    { type: 'unique.claimed', data: { space: 'live', collection: 'saves', claims: [['h-claimed', 'p1']] } },
    {
      type: 'alarm.raised',
      data: { alarm: 'flood', window: '1970-01-01', currency: 'gold', source: 's', player: 'p1', amount: 5, threshold: 4 },
    },
    { type: 'correction.made', data: { reason: 'twice', ticket: 'T-1', undone: [[3, true]] } },
    appended('r1', 5_000, { text: 'hi' }),
    { type: 'record.created', data: { ...slot('r1'), recordName: 'Save' } },
    { type: 'record.created', data: { ...slot('r2'), recordName: 'Zweite ä' } },
    { type: 'record.renamed', data: { ...slot('r1'), recordName: 'First' } },
    { type: 'record.deleted', data: slot('r2') },
    { type: 'page.saved', data: { slug: 'news', title: 'News', pageType: 'markdown', contentMd: 'old' } },
    { type: 'page.saved', data: { slug: 'status', title: 'Status', pageType: 'keyvalue', kvData: { eu: 'up' }, statusLevel: 'ok' } },
    { type: 'page.saved', data: { slug: 'news', title: 'News', pageType: 'markdown', contentMd: '# é' } },
    { type: 'page.removed', data: { slug: 'status' } },
    written('p1', { stats: { xp: 1 } }, 3, { space: 'next1', fork: { document: { stats: { xp: 7 } }, version: 2 } }),
  );
  await feed.commit(
    { type: 'definitions.promoted', data: { changes: [], hash: 'promoted', generation: 1 } },
    { type: 'definitions.nextRenewed', data: { generation: 2, hash: 'next' } },
    { type: 'definitions.rolledBack', data: { changes: [], hash: 'back', generation: 3, to: 4 } },
  );
  await feed.commit(
    { type: 'guest.registered', data: { guest: 'g1', hash: 'a'.repeat(64) } },
    { type: 'guest.linked', data: { guest: 'g1', account: 'ada' } },
    { type: 'session.created', data: { sessionId: 's1', player: 'p1', hash: 'h', expiresAt: 9e12, device: 'd' } },
    { type: 'session.refreshed', data: { family: 's1', sessionId: 's2', from: 's1', hash: 'h', expiresAt: 9e12 } },
    { type: 'session.created', data: { sessionId: 'old', player: 'p2', hash: 'h', expiresAt: 2_000 } },
    { type: 'request.consumed', data: { identityType: 'platform', identity: 'p1', requestId: '1760000000_abcdef', until: 9e12 } },
    { type: 'request.consumed', data: { identityType: 'session', identity: 's1', requestId: '1760000000_abcdef', until: 2_000 } },
    { type: 'access.swept', data: { before: 3_000 } },
    { type: 'session.revoked', data: { family: 's1', sessionIds: ['s2'] } },
    { type: 'answer.kept', data: { ...keyed, key: 'a/b', until: 9e12, answer: { status: 200, body: { gold: new ExactNumber('1e400') } } } },
    {
      type: 'answer.kept',
      data: { ...keyed, key: 'no', until: 9e12, refused: { status: 409, code: 'POOR', message: 'é', requestId: 'r' } },
    },
    { type: 'answer.kept', data: { ...keyed, key: 'old', until: 2_000, answer: null } },
    { type: 'answers.swept', data: { before: 3_000 } },
    { type: 'publish.awaited', data: { by: 'a writer' } },
    { type: 'data.redacted', data: { revisions: [] } },
  );
  await feed.commit(
    {
      type: 'grant.begun',
      data: { grant: 'g1', collection: 'saves', ops: [{ op: 'inc', path: 'xp', value: 1 }], reason: 'sorry', players: 1 },
    },
    { type: 'grant.listed', data: { grant: 'g1', first: 0, players: ['p1'] } },
    { type: 'grant.moved', data: { grant: 'g1', phase: 'giving' } },
    { type: 'grant.served', data: { grant: 'g1', player: 'p1', is: 'given' } },
    { type: 'grant.moved', data: { grant: 'g1', phase: 'taking', policy: 'reverse', reason: 'wrong', ticket: 'T-2' } },
    {
      type: 'grant.served',
      data: {
        ...{ grant: 'g1', player: 'p1', is: 'taken', code: 'SHORT', why: 'é', left: ['name'] },
        shortfalls: [{ field: 'xp', asked: -1, moved: 0, short: new ExactNumber('1.00000000000000000001') }],
      },
    },
    { type: 'grant.moved', data: { grant: 'g1', phase: 'taken' } },
  );
  const approval = { approval: 'a1', difference: hashText('difference'), base: hashText('base') };
  await feed.commit(
    { type: 'approval.requested', data: { ...approval, action: 'promote' } },
    { type: 'approval.commented', data: { approval: 'a1', text: 'é', ticket: 'T-3', with: 'request' } },
    { type: 'approval.given', data: approval },
    { type: 'definitions.promoted', data: { changes: [], hash: 'approved', generation: 4 } },
    { type: 'approval.requested', data: { ...approval, approval: 'a2', action: 'rollback', to: 4 } },
    { type: 'approval.declined', data: { approval: 'a2' } },
    { type: 'approval.requested', data: { ...approval, approval: 'a3', action: 'rollback', to: 4 } },
    { type: 'approval.withdrawn', data: { approval: 'a3' } },
    {
      type: 'promotion.scheduled',
      data: { promotion: 'p1', at: 5, difference: hashText('difference'), base: hashText('base'), message: 'é', ticket: 'T-4' },
    },
    { type: 'promotion.unscheduled', data: { promotion: 'p1' } },
    { type: 'promotion.scheduled', data: { promotion: 'p2', at: 6, difference: hashText('difference'), base: hashText('base') } },
    { type: 'promotion.missed', data: { promotion: 'p2', code: 'FORBIDDEN', reason: 'é' } },
    { type: 'approval.bypassed', data: { ...approval, approval: 'a4', action: 'rollback', to: 4, reason: 'now' } },
    { type: 'definitions.rolledBack', data: { changes: [], hash: 'back', generation: 5, to: 4, ticket: 'T-5' } },
  );
  // The economy adds up sums by player when a later span begins, and closes a day when a later one does.
  for (const later of [20_000, 90_000_000]) {
    feed.later = later;
    await feed.commit(
      changed('p1', [['stats.xp', later]], 3, { ledger: [{ field: 'stats.xp', before: 7, after: 8, delta: 1, source: 'shop' }] }),
    );
  }
}

/** A state with everything that it says as members, to be compared. */
export function plain(state: SubjectState | null): SubjectState | null {
  if (!(state instanceof PackedDocument)) return state;
  const { document, version, createdAt, updatedAt, balances, parts } = state;
  return { document, version, createdAt, updatedAt, balances, parts };
}

export function topQuery(order: 'asc' | 'desc', field = 'stats.xp'): JsonObject {
  return { id: 'top', name: 'Top', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config: { field, order } };
}

export function rowsOf(pool: pg.Pool, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return pool.query(sql, values).then((result) => result.rows);
}
