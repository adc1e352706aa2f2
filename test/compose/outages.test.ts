import { pino } from 'pino';
import { expect, test } from 'vitest';
import { quietInOutages } from '../../src/compose/outages.ts';
import { LogUnavailable } from '../../src/log/port.ts';

const SETTINGS = { databaseUrl: 'postgres://me:hidden@db.example/game', dataDir: './data', eventStoreUrl: null };
const away = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

function lines(settings: Parameters<typeof quietInOutages>[1]) {
  const written: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void written.push(JSON.parse(line)) });
  return { logger: quietInOutages(logger, settings), written };
}

test('a database that is away is one line with its name, no password and no stack, whichever parts meet it', () => {
  const { logger, written } = lines(SETTINGS);
  for (let at = 0; at < 100; at++) logger.error({ project: `p${at}`, err: away() }, 'a batch could not be written and will be tried again');
  logger.warn({ err: away() }, 'this projector could not report to the others; trying again');
  logger.warn({ err: new LogUnavailable('the log cannot be reached') }, 'the log cannot be followed; trying again');
  expect(written).toMatchObject([
    { level: 50, database: 'Postgres postgres://me:***@db.example/game', reason: 'connect ECONNREFUSED 127.0.0.1:5432' },
  ]);
  expect(JSON.stringify(written)).not.toMatch(/hidden|stack/);
});

test('a log of its own that is away has a line of its own', () => {
  const { logger, written } = lines({ ...SETTINGS, eventStoreUrl: 'esdb://me:hidden@log.example:2113?tls=false' });
  for (const err of [away(), new LogUnavailable('no answer'), away(), new LogUnavailable('no answer')]) logger.warn({ err }, 'x');
  expect(written).toMatchObject([{ database: expect.any(String) }, { log: 'EventStoreDB esdb://me:***@log.example:2113' }]);
});

test('any other failure is logged as it was', () => {
  const { logger, written } = lines(SETTINGS);
  logger.error({ err: new Error('division by zero') }, 'a batch could not be written and will be tried again');
  expect(written).toMatchObject([
    { level: 50, msg: 'a batch could not be written and will be tried again', err: { message: 'division by zero' } },
  ]);
});
