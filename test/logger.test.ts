import { expect, it } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { createLogger } from '../src/logger.ts';

it('addresses and keys are never written, whoever logs an object that holds them', () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(line) });
  const hidden = 'hidden-77';
  const config = readConfig({
    DATABASE_URL: `postgres://me:${hidden}@h/d`,
    REDIS_URL: `redis://:${hidden}@h`,
    EVENTSTORE_URL: `esdb://me:${hidden}@h`,
  });
  logger.info(config);
  logger.info({ config, connectionString: config.databaseUrl, secretKey: hidden });
  logger.info({ err: Object.assign(new Error('no'), { connectionString: config.databaseUrl }) });
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain(hidden);
});
