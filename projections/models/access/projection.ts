import type { AccessSwept, EventType, ProjectEvent, RequestConsumed } from '../../../src/domain/events.ts';
import { evolveSession, expiryOf } from '../../../src/domain/session/evolve.ts';
import type { SessionFamily } from '../../../src/domain/states.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';
import { sessionFrom, sessionsText } from './read.ts';

const LOAD = 'SELECT family, player, sessions::text AS text, revision FROM {sessions} WHERE project = $1 AND family = ANY ($2)';
const SWEEP_SESSIONS = 'DELETE FROM {sessions} WHERE project = $1 AND expires_at < $2';
const SWEEP_REQUESTS = 'DELETE FROM {used_requests} WHERE project = $1 AND until < $2';

const SESSIONS = `
INSERT INTO {sessions} (project, family, player, sessions, expires_at, revision)
SELECT $1, family, player, sessions::json, expires_at, revision
FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS w (family, player, sessions, expires_at, revision)
ON CONFLICT (project, family) DO UPDATE SET
  sessions = excluded.sessions, expires_at = excluded.expires_at, revision = excluded.revision`;

const REQUESTS = `
INSERT INTO {used_requests} (project, until, identity_type, identity, request, revision)
SELECT $1, until, identity_type, identity, request, revision
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[]) AS w (until, identity_type, identity, request, revision)`;

/** Auth sessions and used request ids. Only `access.swept` removes rows, so that every fold of the log gives the same rows. */
export const access: Projection = {
  name: 'access',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const mine = events.filter(isOwn);
    if (mine.length === 0) return;
    const before = sweptBefore(mine);
    const families = await foldFamilies(mine, tx);
    const requests = foldRequests(mine);
    // Sweeps rows from before this batch first. Rows of the batch itself are kept only if they are later than its sweeps.
    if (before !== null) {
      await tx.run('sessions-sweep', SWEEP_SESSIONS, [before]);
      await tx.run('requests-sweep', SWEEP_REQUESTS, [before]);
    }
    await storeFamilies(families, tx);
    await storeRequests(requests, tx);
  },
};

type Own = ProjectEvent & {
  readonly type: 'session.created' | 'session.refreshed' | 'session.revoked' | 'request.consumed' | 'access.swept';
};

const ACCESS_EVENTS: ReadonlySet<EventType> = new Set<Own['type']>([
  'session.created',
  'session.refreshed',
  'session.revoked',
  'request.consumed',
  'access.swept',
]);

function isOwn(event: ProjectEvent): event is Own {
  return ACCESS_EVENTS.has(event.type);
}

function sweptBefore(events: readonly Own[]): number | null {
  const times = events.map((event) => (event.type === 'access.swept' ? event.data.before : 0));
  return Math.max(0, ...times) || null;
}

interface Family {
  readonly state: SessionFamily;
  readonly revision: number;
}

async function foldFamilies(events: readonly Own[], tx: Transaction): Promise<ReadonlyMap<string, Family>> {
  const families = await loadFamilies(events, tx);
  for (const event of events) {
    if (event.type === 'access.swept') forget(families, event.data, ({ state }) => expiryOf(state));
    if (event.type === 'access.swept' || event.type === 'request.consumed') continue;
    const family = event.type === 'session.created' ? event.data.sessionId : event.data.family;
    const state = evolveSession(families.get(family)?.state ?? null, event);
    if (state !== null) families.set(family, { state, revision: event.revision });
  }
  return families;
}

async function loadFamilies(events: readonly Own[], tx: Transaction): Promise<Map<string, Family>> {
  const names = new Set<string>();
  for (const event of events) if (event.type === 'session.refreshed' || event.type === 'session.revoked') names.add(event.data.family);
  if (names.size === 0) return new Map();
  type Row = { readonly family: string; readonly player: string; readonly text: string; readonly revision: string };
  const rows = await tx.run<Row>('sessions-load', LOAD, [[...names]]);
  return new Map(rows.map((row) => [row.family, { state: sessionFrom(row.text, row.player), revision: Number(row.revision) }]));
}

type Consumed = ProjectEvent & { readonly data: RequestConsumed };

function foldRequests(events: readonly Own[]): ReadonlyMap<string, Consumed> {
  const requests = new Map<string, Consumed>();
  for (const event of events) {
    if (event.type === 'access.swept') forget(requests, event.data, ({ data }) => data.until);
    if (event.type === 'request.consumed') requests.set(event.id, event);
  }
  return requests;
}

/** Does in memory what the sweeping statements do, for rows that are not yet in the tables. */
function forget<T>(rows: Map<string, T>, { before }: AccessSwept, expiry: (row: T) => number): void {
  for (const [key, row] of rows) if (expiry(row) < before) rows.delete(key);
}

async function storeFamilies(families: ReadonlyMap<string, Family>, tx: Transaction): Promise<void> {
  if (families.size === 0) return;
  const rows = [...families.values()];
  await tx.run('sessions-upsert', SESSIONS, [
    [...families.keys()],
    rows.map(({ state }) => state.player),
    rows.map(({ state }) => sessionsText(state)),
    rows.map(({ state }) => expiryOf(state)),
    rows.map(({ revision }) => revision),
  ]);
}

async function storeRequests(requests: ReadonlyMap<string, Consumed>, tx: Transaction): Promise<void> {
  if (requests.size === 0) return;
  const rows = [...requests.values()];
  await tx.run('requests-insert', REQUESTS, [
    rows.map(({ data }) => data.until),
    rows.map(({ data }) => data.identityType),
    rows.map(({ data }) => data.identity),
    rows.map(({ data }) => data.requestId),
    rows.map(({ revision }) => revision),
  ]);
}
