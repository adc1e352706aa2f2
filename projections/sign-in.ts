import type { Pool } from 'pg';
import type { InForce, SessionRow, SignInStore } from '../src/app/ports/sign-in-store.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';

const COLUMNS = 'id, person, created_at::float8 AS "createdAt", used_at::float8 AS "usedAt", until::float8 AS until, agent, address';

/** The tables of `sign-in.sql`. */
export function createSignInStore(pool: Pool): SignInStore {
  const query = async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>({ ...QUERY_TIMEOUT, text, values: [...values] })).rows;

  return {
    async keepLink(hash, person, until) {
      await query('INSERT INTO savepoint.sign_in_links (hash, person, until) VALUES ($1, $2, $3)', [hash, person, until]);
    },
    async takeLink(hash, now) {
      const taken = 'DELETE FROM savepoint.sign_in_links WHERE hash = $1 AND until > $2 RETURNING person';
      return (await query<{ person: string }>(taken, [hash, now]))[0]?.person ?? null;
    },
    async isFirst() {
      const kept = `INSERT INTO savepoint.installation (name, value) VALUES ('first-sign-in-link', '') ON CONFLICT (name) DO NOTHING RETURNING name`;
      return (await query(kept, [])).length > 0;
    },
    async openSession(hash, { id, person, createdAt, usedAt, until, agent, address }) {
      const put = `INSERT INTO savepoint.sign_in_sessions (hash, id, person, created_at, used_at, until, agent, address)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
      await query(put, [hash, id, person, createdAt, usedAt, until, agent, address]);
    },
    async session(hash, at) {
      const found = `SELECT ${COLUMNS} FROM savepoint.sign_in_sessions WHERE hash = $1 AND until > $2 AND used_at > $3`;
      return (await query<SessionRow>(found, [hash, ...boundsOf(at)]))[0] ?? null;
    },
    async noteUse(id, now) {
      await query('UPDATE savepoint.sign_in_sessions SET used_at = greatest(used_at, $2) WHERE id = $1', [id, now]);
    },
    sessionsOf(person, at) {
      const listed = `SELECT ${COLUMNS} FROM savepoint.sign_in_sessions WHERE person = $1 AND until > $2 AND used_at > $3
        ORDER BY used_at DESC, id LIMIT 100`;
      return query<SessionRow>(listed, [person, ...boundsOf(at)]);
    },
    async endSession(person, id) {
      return (await query('DELETE FROM savepoint.sign_in_sessions WHERE person = $1 AND id = $2 RETURNING id', [person, id])).length > 0;
    },
    async endSessions(person, but) {
      await query('DELETE FROM savepoint.sign_in_links WHERE person = $1', [person]);
      await query('DELETE FROM savepoint.sign_in_sessions WHERE person = $1 AND ($2::text IS NULL OR id <> $2)', [person, but]);
    },
    async password(person) {
      const found = 'SELECT hash FROM savepoint.sign_in_passwords WHERE person = $1';
      return (await query<{ hash: string }>(found, [person]))[0]?.hash ?? null;
    },
    async keepPassword(person, hash) {
      const put = 'INSERT INTO savepoint.sign_in_passwords (person, hash) VALUES ($1, $2) ON CONFLICT (person) DO UPDATE SET hash = $2';
      await query(put, [person, hash]);
    },
    async forgetPassword(person) {
      await query('DELETE FROM savepoint.sign_in_passwords WHERE person = $1', [person]);
    },
    async sweep(at) {
      await query('DELETE FROM savepoint.sign_in_links WHERE until <= $1', [at.now]);
      await query('DELETE FROM savepoint.sign_in_sessions WHERE until <= $1 OR used_at <= $2', boundsOf(at));
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

function boundsOf({ now, usedSince }: InForce): readonly [number, number] {
  return [now, usedSince];
}
