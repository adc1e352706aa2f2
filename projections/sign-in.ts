import type { Pool, PoolClient } from 'pg';
import type { SessionRow, SignInRequest, SignInStore } from '../src/app/ports/sign-in-store.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';
import { inTransaction, withClient } from './transaction.ts';

const COLUMNS =
  'id, person, created_at::float8 AS "createdAt", used_at::float8 AS "usedAt", idle::float8 AS idle, until::float8 AS until, kind, agent, address';
const REQUEST = 'code, until::float8 AS until, agent, address';

const KEPT = '(hash, used, until)';
/** How long it is told why a link lets nobody in, ms. */
const GONE_MS = 24 * 60 * 60_000;

/** The tables of `sign-in.sql`. */
export function createSignInStore(pool: Pool): SignInStore {
  const query = async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>({ ...QUERY_TIMEOUT, text, values: [...values] })).rows;

  return {
    async keepLink(hash, person, until) {
      await query('INSERT INTO savepoint.sign_in_links (hash, person, until) VALUES ($1, $2, $3)', [hash, person, until]);
    },
    async personOfLink(hash, now) {
      const found = 'SELECT person FROM savepoint.sign_in_links WHERE hash = $1 AND until > $2';
      return (await query<{ person: string }>(found, [hash, now]))[0]?.person ?? null;
    },
    async goneLink(hash, now) {
      const found = `SELECT used FROM savepoint.sign_in_links_gone WHERE hash = $1 AND until > $2
        UNION ALL SELECT false FROM savepoint.sign_in_links WHERE hash = $1 AND until <= $2`;
      const [gone] = await query<{ used: boolean }>(found, [hash, now]);
      return gone === undefined ? null : gone.used ? 'used' : 'over';
    },
    async isFirst() {
      const kept = `INSERT INTO savepoint.installation (name, value) VALUES ('first-sign-in-link', '') ON CONFLICT (name) DO NOTHING RETURNING name`;
      return (await query(kept, [])).length > 0;
    },
    openByLink(link, hash, session) {
      const taken = 'DELETE FROM savepoint.sign_in_links WHERE hash = $1 AND person = $2 AND until > $3 RETURNING hash';
      return inTurn(pool, session.person, async (client) => {
        if (!(await hasRow(client, taken, [link, session.person, session.createdAt]))) return false;
        await client.query(`INSERT INTO savepoint.sign_in_links_gone ${KEPT} VALUES ($1, true, $2)`, [link, session.createdAt + GONE_MS]);
        await insertSession(client, hash, session);
        return true;
      });
    },
    openByPassword(checked, hash, session) {
      const kept = 'SELECT FROM savepoint.sign_in_passwords WHERE person = $1 AND hash = $2';
      return inTurn(pool, session.person, async (client) => {
        if (!(await hasRow(client, kept, [session.person, checked]))) return false;
        await insertSession(client, hash, session);
        return true;
      });
    },
    openByIssuer: (hash, session) =>
      inTurn(pool, session.person, async (client) => {
        await insertSession(client, hash, session);
        return true;
      }),
    async keepRequest(hash, { code, until, agent, address }, most) {
      const put = `INSERT INTO savepoint.sign_in_requests (hash, code, until, agent, address) SELECT $1, $2, $3, $4, $5
        WHERE (SELECT count(*) FROM savepoint.sign_in_requests) < $6 ON CONFLICT DO NOTHING RETURNING hash`;
      return (await query(put, [hash, code, until, agent, address, most])).length > 0;
    },
    async request(code, now) {
      const found = `SELECT ${REQUEST} FROM savepoint.sign_in_requests WHERE code = $1 AND until > $2 AND person IS NULL`;
      return (await query<SignInRequest>(found, [code, now]))[0] ?? null;
    },
    confirmRequest(code, person, session, now) {
      const put = `UPDATE savepoint.sign_in_requests SET person = $2, session = $4 WHERE code = $1 AND until > $3 AND person IS NULL
        RETURNING hash`;
      return inTurn(pool, person, async (client) => {
        if (!(await hasRow(client, OPEN, [person, session]))) return false;
        return hasRow(client, put, [code, person, now, session]);
      });
    },
    async refuseRequest(code) {
      await query('DELETE FROM savepoint.sign_in_requests WHERE code = $1 AND person IS NULL', [code]);
    },
    async requestBy(hash, now) {
      const found = `SELECT ${REQUEST}, person FROM savepoint.sign_in_requests WHERE hash = $1 AND until > $2`;
      return (await query<SignInRequest & { person: string | null }>(found, [hash, now]))[0] ?? null;
    },
    openByRequest(request, hash, session) {
      const taken = 'DELETE FROM savepoint.sign_in_requests WHERE hash = $1 AND person = $2 AND until > $3 RETURNING hash';
      return inTurn(pool, session.person, async (client) => {
        if (!(await hasRow(client, taken, [request, session.person, session.createdAt]))) return false;
        await insertSession(client, hash, session);
        return true;
      });
    },
    async session(hash, kind, now) {
      const found = `SELECT ${COLUMNS} FROM savepoint.sign_in_sessions WHERE hash = $1 AND kind = $3 AND ${IN_FORCE}`;
      return (await query<SessionRow>(found, [hash, now, kind]))[0] ?? null;
    },
    async noteUse(id, now) {
      await query('UPDATE savepoint.sign_in_sessions SET used_at = greatest(used_at, $2) WHERE id = $1', [id, now]);
    },
    sessionsOf(person, now) {
      const listed = `SELECT ${COLUMNS} FROM savepoint.sign_in_sessions WHERE person = $1 AND ${IN_FORCE} ORDER BY used_at DESC, id LIMIT 100`;
      return query<SessionRow>(listed, [person, now]);
    },
    endSession(person, id) {
      const ended = 'DELETE FROM savepoint.sign_in_sessions WHERE person = $1 AND id = $2 RETURNING id';
      return inTurn(pool, person, async (client) => {
        await client.query('DELETE FROM savepoint.sign_in_requests WHERE person = $1 AND session = $2', [person, id]);
        return hasRow(client, ended, [person, id]);
      });
    },
    async endOtherSessions(person, id) {
      await inTurn(pool, person, (client) => endSessions(client, person, id));
    },
    async password(person) {
      const found = 'SELECT hash FROM savepoint.sign_in_passwords WHERE person = $1';
      return (await query<{ hash: string }>(found, [person]))[0]?.hash ?? null;
    },
    keepPassword(person, hash, session) {
      const put = 'INSERT INTO savepoint.sign_in_passwords (person, hash) VALUES ($1, $2) ON CONFLICT (person) DO UPDATE SET hash = $2';
      return inTurn(pool, person, async (client) => {
        if (!(await hasRow(client, OPEN, [person, session]))) return false;
        await client.query(put, [person, hash]);
        await endSessions(client, person, session);
        return true;
      });
    },
    async lockOut(person, isGone) {
      await inTurn(pool, person, async (client) => {
        if (isGone) await client.query('DELETE FROM savepoint.sign_in_last WHERE person = $1', [person]);
        await client.query('DELETE FROM savepoint.sign_in_passwords WHERE person = $1', [person]);
        await endSessions(client, person, null);
      });
    },
    standing: () =>
      query(
        `SELECT person, bool_or(has_password) AS "hasPassword", max(used_at)::float8 AS "usedAt", max(at)::float8 AS "signedInAt" FROM (
           SELECT person, true AS has_password, NULL::bigint AS used_at, NULL::bigint AS at FROM savepoint.sign_in_passwords
           UNION ALL SELECT person, false, NULL, at FROM savepoint.sign_in_last
           UNION ALL SELECT person, false, used_at, NULL FROM savepoint.sign_in_sessions) AS each GROUP BY person`,
        [],
      ),
    async notedSince() {
      const asked = `SELECT extract(epoch FROM applied_at)::float8 * 1000 AS at FROM savepoint.migrations WHERE name = 'sign-in-0005'`;
      return (await query<{ at: number }>(asked, []))[0]?.at ?? Number.POSITIVE_INFINITY;
    },
    async sweep(now) {
      const over = 'DELETE FROM savepoint.sign_in_links WHERE until <= $1 RETURNING hash';
      const gone = `WITH over AS (${over}) INSERT INTO savepoint.sign_in_links_gone ${KEPT} SELECT hash, false, $2 FROM over`;
      await query(`${gone} ON CONFLICT DO NOTHING`, [now, now + GONE_MS]);
      await query('DELETE FROM savepoint.sign_in_links_gone WHERE until <= $1', [now]);
      await query('DELETE FROM savepoint.sign_in_requests WHERE until <= $1', [now]);
      await query('DELETE FROM savepoint.sign_in_sessions WHERE until <= $1 OR used_at + idle <= $1', [now]);
    },
    async noteOrigin(origin) {
      const put = `INSERT INTO savepoint.installation (name, value) VALUES ('console-origin', $1) ON CONFLICT (name) DO UPDATE SET value = $1`;
      await query(put, [origin]);
    },
    async origin() {
      return (
        (await query<{ value: string }>(`SELECT value FROM savepoint.installation WHERE name = 'console-origin'`, []))[0]?.value ?? null
      );
    },
    projects: () =>
      query<{ id: string; title: string }>(
        'SELECT project AS id, name AS title FROM savepoint.projects WHERE NOT deleted ORDER BY created_at, project',
        [],
      ),
  };
}

/** Of a session at the time of the second parameter. */
const IN_FORCE = 'until > $2 AND used_at + idle > $2';
const OPEN = 'SELECT FROM savepoint.sign_in_sessions WHERE person = $1 AND id = $2';

/**
 * One after another for each person: what was judged by a password or a session that is being taken away must not be stored afterwards. The
 * lock is a statement of its own, so that those behind it see what the one before has changed.
 */
function inTurn<T>(pool: Pool, person: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return withClient(pool, (client) =>
    inTransaction(
      client,
      async () => {
        await client.query("SELECT pg_advisory_xact_lock(hashtextextended('sign-in ' || $1, 0))", [person]);
        return work(client);
      },
      BEGIN,
    ),
  );
}

const BEGIN = `BEGIN; SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '10s'`;

async function hasRow(client: PoolClient, text: string, values: readonly unknown[]): Promise<boolean> {
  return (await client.query(text, [...values])).rows.length > 0;
}

async function insertSession(client: PoolClient, hash: string, session: SessionRow): Promise<void> {
  const { id, person, createdAt, usedAt, idle, until, kind, agent, address } = session;
  const put = `INSERT INTO savepoint.sign_in_sessions (hash, id, person, created_at, used_at, idle, until, kind, agent, address)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  await client.query(put, [hash, id, person, createdAt, usedAt, idle, until, kind, agent, address]);
  const last = `INSERT INTO savepoint.sign_in_last (person, at) VALUES ($1, $2)
    ON CONFLICT (person) DO UPDATE SET at = greatest(sign_in_last.at, $2)`;
  await client.query(last, [person, createdAt]);
}

/** Ends all links and sessions of a person, but this one, and what the person has confirmed. */
async function endSessions(client: PoolClient, person: string, but: string | null): Promise<void> {
  await client.query('DELETE FROM savepoint.sign_in_links WHERE person = $1', [person]);
  await client.query('DELETE FROM savepoint.sign_in_requests WHERE person = $1', [person]);
  await client.query('DELETE FROM savepoint.sign_in_sessions WHERE person = $1 AND ($2::text IS NULL OR id <> $2)', [person, but]);
}
