import pg from 'pg';
import { LogUnavailable, OutcomeUnknown } from '../port.ts';

export interface ConnectionOptions {
  /** Where Postgres is and how to sign in: whatever `pg` takes. */
  readonly connection: pg.PoolConfig;
  /** The longest time that an append or a read waits for its answer. */
  readonly timeoutMs: number;
  readonly max: number;
}

/**
 * A pool for the log. Its sessions have their own settings: no setting of the database can weaken the log, and the server releases the head
 * lock of a node that has vanished.
 */
export function createPool({ connection, timeoutMs, max }: ConnectionOptions): pg.Pool {
  const pool = new pg.Pool({
    application_name: 'savepoint-log',
    connectionTimeoutMillis: Math.min(timeoutMs, 3000),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    ...connection,
    max,
    onConnect: async (client) => {
      await client.query(SESSION, [String(Math.ceil(timeoutMs * 0.6))]);
    },
  });
  // A connection that breaks while idle leaves the pool by itself; without a listener it would end the process.
  pool.on('error', () => undefined);
  // The pool does not listen to a client that is in use. The client's query fails by itself.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * The server's time-outs are shorter than the client's, because an answer of the server is certain and a time-out of the client is not.
 * `synchronous_commit` is only ever raised: `remote_apply` is stronger than `on`. The TCP settings are for the server's end of the
 * connection.
 */
const SESSION = `
SELECT set_config('statement_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', '5s', false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('tcp_keepalives_idle', '5', false),
  set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '3', false),
  set_config('tcp_user_timeout', '10s', false),
  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
    THEN set_config('synchronous_commit', 'on', false) END`;

/** Gives every value as the text that the server sends. By itself `pg` parses `json`, which would change numbers. */
export const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** The port's error for a call that failed once it was handed to a connection: refused, certainly not stored, or unknown. */
export function appendFailure(error: unknown): Error {
  if (!(error instanceof pg.DatabaseError)) return new OutcomeUnknown('no answer from the log', { cause: error });
  // A server that shuts down or breaks may do so between commit and answer. After any other error the statement was rolled back.
  if (/^(08|57P|58|XX)/.test(error.code ?? 'XX')) return new OutcomeUnknown(`the log broke off: ${error.message}`, { cause: error });
  return isRefused(error) ? error : unavailable(error);
}

/** The server understood the call and will never take it: a text that is no JSON, a value out of range. Trying again is useless. */
export function isRefused(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code ?? '');
}

/** The port's error for a call that certainly stored nothing. */
export function unavailable(error: unknown): LogUnavailable {
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  const missing = code === '42P01' || code === '42883' || code === '3F000';
  const reason = error instanceof Error ? error.message : String(error);
  const text = missing ? `the log's tables are missing, run \`savepoint migrate\`: ${reason}` : `the log cannot be reached: ${reason}`;
  return new LogUnavailable(text, { cause: error });
}
