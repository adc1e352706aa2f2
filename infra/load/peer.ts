import { createRequire } from 'node:module';
import { join } from 'node:path';
import Koa from 'koa';
import pg from 'pg';

/**
 * The servers that `bench:peers` compares the node with, each in a process of its own: handwritten servers with Koa and Postgres, and Parse
 * Server. All commit with fsync before they answer.
 */

export interface PeerStart {
  readonly kind: 'koa upsert' | 'koa upsert and event' | 'parse';
  readonly databaseUrl: string;
  /** The folder in which Parse Server is installed. */
  readonly parseFolder: string | null;
}

const CONNECTIONS = 12;

const UPSERT = `INSERT INTO documents (key, score, document) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE SET score = excluded.score, document = excluded.document`;
const EVENT = 'INSERT INTO events (key, document) VALUES ($1, $2)';
const TOP = `SELECT key, document->>'name' AS name, score FROM documents ORDER BY score DESC, key LIMIT 100`;
/** The player's row with its rank, and ten rows on each side. */
const AROUND = `WITH own AS (SELECT score, key FROM documents WHERE key = $1)
SELECT (SELECT count(*) FROM documents d, own WHERE (d.score, own.key) > (own.score, d.key)) + 1 AS rank,
  ARRAY(SELECT d.key FROM documents d, own WHERE (d.score, own.key) >= (own.score, d.key) ORDER BY d.score, d.key DESC LIMIT 11) AS above,
  ARRAY(SELECT d.key FROM documents d, own WHERE (d.score, own.key) < (own.score, d.key) ORDER BY d.score DESC, d.key LIMIT 10) AS below`;

async function koa({ kind, databaseUrl }: PeerStart): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  // At the end of a run the database may stop before this process.
  pool.on('error', () => undefined);
  await pool.query(`CREATE TABLE IF NOT EXISTS documents (key text PRIMARY KEY, score bigint, document jsonb NOT NULL)`);
  await pool.query(`CREATE INDEX IF NOT EXISTS documents_score ON documents (score DESC, key)`);
  await pool.query(`CREATE TABLE IF NOT EXISTS events (id bigserial PRIMARY KEY, key text NOT NULL, document jsonb NOT NULL)`);
  const store = kind === 'koa upsert' ? upsert : upsertAndEvent;
  const app = new Koa();
  app.use(async (context) => {
    const [, what = '', key = ''] = context.path.split('/');
    if (context.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of context.req) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      await store(pool, key, Number(JSON.parse(text).score ?? 0), text);
      context.body = { ok: true };
    } else if (what === 'top') context.body = { ok: true, entries: (await pool.query({ name: 'top', text: TOP })).rows };
    else if (what === 'around') context.body = (await pool.query({ name: 'around', text: AROUND, values: [key] })).rows[0];
    else context.body = (await read(pool, key)) ?? {};
  });
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

async function read(pool: pg.Pool, key: string): Promise<object | undefined> {
  const { rows } = await pool.query<{ document: object }>({
    name: 'read',
    text: 'SELECT document FROM documents WHERE key = $1',
    values: [key],
  });
  return rows[0]?.document;
}

async function upsert(pool: pg.Pool, key: string, score: number, text: string): Promise<void> {
  await pool.query({ name: 'upsert', text: UPSERT, values: [key, score, text] });
}

async function upsertAndEvent(pool: pg.Pool, key: string, score: number, text: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query({ name: 'upsert', text: UPSERT, values: [key, score, text] });
    await client.query({ name: 'event', text: EVENT, values: [key, text] });
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** Loaded from its own folder, because it is no dependency of ours. */
async function parse({ databaseUrl, parseFolder }: PeerStart, port: number): Promise<number> {
  const { ParseServer } = createRequire(join(parseFolder ?? '.', 'package.json'))('parse-server');
  await ParseServer.startApp({
    appId: 'bench',
    masterKey: 'bench',
    databaseURI: databaseUrl,
    serverURL: `http://127.0.0.1:${port}/parse`,
    port,
    host: '127.0.0.1',
    mountPath: '/parse',
    silent: true,
    logLevel: 'error',
    allowCustomObjectId: true,
    directAccess: false,
    enforcePrivateUsers: true,
  });
  return port;
}

process.on('message', ({ port, ...start }: PeerStart & { readonly port: number }) => {
  (start.kind === 'parse' ? parse(start, port) : koa(start)).then(
    (listening) => process.send?.({ port: listening }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
