import { connect, createServer, type Server } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { nodeDatabase } from '../../src/compose/database.ts';
import { onceAnswered } from '../../src/compose/once-answered.ts';
import { readConfig } from '../../src/config/config.ts';
import { isDatabaseOutage } from '../../src/kernel/outage.ts';
import { testDatabase } from '../support/postgres.ts';

let front: Server | null = null;
afterEach(() => front?.close());

/** What Postgres answers to a connection while it recovers. */
function startingUp(): Buffer {
  const fields = Buffer.from('SFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** The address of the database by way of a server that recovers while the first connections come. */
async function recovering(databaseUrl: string, connections: number): Promise<string> {
  const behind = new URL(databaseUrl);
  let left = connections;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    left -= 1;
    if (left >= 0) {
      socket.once('data', () => socket.end(startingUp()));
      return;
    }
    const onwards = connect(Number(behind.port), behind.hostname);
    onwards.on('error', () => socket.destroy());
    socket.pipe(onwards).pipe(socket);
  });
  front = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a server has a port');
  const before = new URL(databaseUrl);
  before.hostname = '127.0.0.1';
  before.port = String(address.port);
  return before.href;
}

test('a node waits for a database that is starting up, and says so once', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const DATABASE_URL = await recovering(await testDatabase(), 2);
  const { facts } = await nodeDatabase(readConfig({ DATABASE_URL }), logger, () => undefined);
  expect(facts.major).toBeGreaterThanOrEqual(15);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the database system is starting up');
});

test('it waits for so long and no longer, and for no other failure', async () => {
  const logger = pino({ level: 'silent' });
  const failing = (code: string) => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      throw Object.assign(new Error('no'), { code });
    };
    return onceAnswered(ask, { name: 'x', waitMs: (error) => (isDatabaseOutage(error) ? 50 : 0), logger, pauseMs: 10 }).catch(() => asked);
  };
  for (const code of ['57P03', 'ECONNREFUSED', 'ENOTFOUND']) expect(await failing(code)).toBeGreaterThan(1);
  expect(await failing('28P01')).toBe(1);
});
