import { connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { type Log, LogUnavailable, OutcomeUnknown } from '../../../src/log/port.ts';
import { LOG_MIGRATIONS } from '../../../src/log/postgres/log.ts';
import { anEvent, events, followUntil } from '../../contract/log/contract.ts';
import { startPostgres } from '../../support/embedded.ts';
import { testDatabase } from '../../support/postgres.ts';
import { postgresLog, postgresLogDatabase, run } from '../../support/postgres-log.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function opened(url: string, options: Parameters<typeof postgresLog>[1] = {}): Log {
  const log = postgresLog(url, options);
  cleanups.push(() => log.close());
  return log;
}

/** Holds the head lock, like a node that stopped in the middle of a call. */
async function holdHead(url: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: url });
  holder.on('error', () => undefined);
  await holder.connect();
  cleanups.push(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('SELECT * FROM savepoint.log_head FOR UPDATE');
  return holder;
}

/** Resolves when an append waits for a lock; gives the id of its server process. */
async function appendWaiting(url: string): Promise<number> {
  for (;;) {
    const rows = await run(
      url,
      `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%log_append%' AND datname = current_database()`,
    );
    const [row] = rows;
    if (typeof row === 'object' && row !== null && 'pid' in row && typeof row.pid === 'number') return row.pid;
  }
}

/** A network in front of Postgres that can fall silent without closing. */
async function network(url: string): Promise<{ readonly url: string; silence(): void; heal(): void }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let silent = false;
  const server: Server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.on('data', (chunk) => far.write(chunk));
    // Requests get through, but answers do not: the hardest case.
    far.on('data', (chunk) => silent || near.write(chunk));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const through = new URL(url);
  through.port = String(address.port);
  return {
    url: through.href,
    silence: () => {
      silent = true;
    },
    heal: () => {
      silent = false;
    },
  };
}

test('an append that cannot get the head lock is given up by the server, and certainly not stored', async () => {
  const url = await postgresLogDatabase();
  // The server gives up before the client does. Both wait for the same CPU.
  const log = opened(url, { timeoutMs: 4000 });
  const holder = await holdHead(url);
  await expect(log.append('a', 'none', events(2))).rejects.toBeInstanceOf(LogUnavailable);
  await holder.query('ROLLBACK');
  expect(await log.head('a')).toBeNull();
  expect(await log.append('a', 'none', events(2))).toMatchObject({ ok: true, revision: 1 });
});

test('a call that waited for the lock sees what was committed meanwhile, whatever isolation the database defaults to', async () => {
  const url = await postgresLogDatabase();
  const log = opened(url);
  const holder = await holdHead(url);
  const isolation = `ALTER DATABASE %I SET default_transaction_isolation = ''serializable''`;
  await run(url, `DO $$ BEGIN EXECUTE format('${isolation}', current_database()); END $$`);
  const waiting = [log.append('a', 'none', events(1)), log.append('b', 'none', events(1))];
  await appendWaiting(url);
  const id = anEvent().id;
  await holder.query(`SELECT savepoint.log_append('{a}', '{-1}', '{1}', '{1}', '{${id}}', '{t}', ARRAY['1']::json[], ARRAY['1']::json[])`);
  await holder.query('COMMIT');
  expect(await Promise.all(waiting)).toEqual([
    { ok: false, actual: 0 },
    { ok: true, revision: 0, position: 2n },
  ]);
});

test('a backend that is shut down under an append leaves its outcome unknown; sending it again settles it', async () => {
  const url = await postgresLogDatabase();
  const log = opened(url);
  const list = events(3);
  const holder = await holdHead(url);
  const outcome = expect(log.append('a', 'none', list)).rejects.toBeInstanceOf(OutcomeUnknown);
  await run(url, `SELECT pg_terminate_backend(${await appendWaiting(url)})`);
  await outcome;
  await holder.query('ROLLBACK');
  expect(await log.append('a', 'none', list)).toMatchObject({ ok: true, revision: 2 });
  expect(await log.append('a', 'none', list)).toMatchObject({ ok: true, revision: 2 });
  expect(await log.read('a', { direction: 'forwards', limit: 10 })).toHaveLength(3);
});

test('an answer that never comes is an unknown outcome, and the same append gets the first answer once the network is back', async () => {
  const url = await postgresLogDatabase();
  const between = await network(url);
  const log = opened(between.url, { timeoutMs: 3000 });
  await log.append('a', 'none', events(1));
  between.silence();
  const list = events(2);
  await expect(log.append('a', 0, list)).rejects.toBeInstanceOf(OutcomeUnknown);
  between.heal();
  expect(await log.append('a', 0, list)).toEqual({ ok: true, revision: 2, position: 3n });
  expect(await log.read('a', { direction: 'forwards', limit: 10 })).toHaveLength(3);
});

test('an append to a port without a server is certain not to be stored', async () => {
  const log = opened('postgres://postgres@127.0.0.1:1/nothing', { timeoutMs: 3000 });
  await expect(log.append('a', 'none', events(1))).rejects.toBeInstanceOf(LogUnavailable);
  await expect(log.read('a', { direction: 'forwards', limit: 1 })).rejects.toBeInstanceOf(LogUnavailable);
  await expect(log.head('a')).rejects.toBeInstanceOf(LogUnavailable);
  await expect(log.end()).rejects.toBeInstanceOf(LogUnavailable);
});

test('a database without the log’s tables is refused with what to do', async () => {
  const log = opened(await testDatabase());
  await expect(log.append('a', 'none', events(1))).rejects.toThrow(/savepoint migrate/);
  await expect(log.end()).rejects.toThrow(/savepoint migrate/);
});

test('an append that the server refuses does not fail others of the same call', async () => {
  const url = await postgresLogDatabase();
  const log = opened(url);
  const results = await Promise.allSettled([
    log.append('a', 'none', events(1)),
    log.append('b', 'none', [anEvent('this is no JSON')]),
    log.append('c', 'none', events(1)),
    log.append('d', 'none', [{ ...anEvent(), id: 'no id' }]),
  ]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  expect(await log.head('b')).toBeNull();
  expect(await log.end()).toBe(2n);
});

test('an append is durable before it is answered, also with synchronous_commit off', async () => {
  const url = await postgresLogDatabase();
  await run(
    url,
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$;
     CREATE FUNCTION careful() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF current_setting('synchronous_commit') <> 'on' THEN RAISE EXCEPTION 'careless'; END IF; RETURN NULL; END $$;
     CREATE TRIGGER careful AFTER INSERT ON savepoint.log_events EXECUTE FUNCTION careful()`,
  );
  await expect(
    run(url, `SET synchronous_commit = off; INSERT INTO savepoint.log_events VALUES (99, '', 0, gen_random_uuid(), '', '1', '1')`),
  ).rejects.toThrow('careless');
  expect(await opened(url).append('a', 'none', events(1))).toMatchObject({ ok: true });
});

test('migrating again keeps every event', async () => {
  const url = await postgresLogDatabase();
  const log = opened(url);
  await log.append('a', 'none', events(2));
  for (const { sql } of LOG_MIGRATIONS) await run(url, sql);
  expect(await log.append('a', 1, events(1))).toMatchObject({ ok: true, revision: 2, position: 3n });
});

test('after a crash of Postgres the same log goes on: nothing acknowledged is lost, followers miss nothing', async () => {
  const server = await startPostgres({ settings: ['fsync=on'] });
  cleanups.push(() => server.stop());
  const url = await postgresLogDatabase(server.url);
  const log = opened(url, { timeoutMs: 3000 });
  const total = 40;
  const following = followUntil(log, { prefix: 'a', after: null }, (seen) => seen.length >= total);

  const ids: string[] = [];
  let failures = 0;
  const writing = (async () => {
    for (let n = 0; n < total; n++) {
      const list = events(1);
      ids.push(...list.map((event) => event.id));
      for (let result = null; result === null; ) {
        result = await log.append('a', n === 0 ? 'none' : n - 1, list).catch((error: unknown) => {
          if (!(error instanceof OutcomeUnknown || error instanceof LogUnavailable)) throw error;
          failures++;
          return new Promise<null>((resolve) => setTimeout(() => resolve(null), 20));
        });
        if (result) expect(result).toMatchObject({ ok: true, revision: n });
      }
      if (n === 15) {
        await server.crash();
        setTimeout(() => void server.start(), 200);
      }
    }
  })();
  await writing;
  expect(failures).toBeGreaterThan(0);
  expect((await following).events.map((event) => event.id)).toEqual(ids);
});
