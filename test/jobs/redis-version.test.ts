import { expect, it } from 'vitest';
import { redisServes } from '../../src/jobs/redis-connection.ts';

it.each([
  ['4.0.14', 'no'],
  ['5.0.0', 'unsound'],
  ['6.0.16', 'unsound'],
  ['6.2.0', 'yes'],
  ['7.0.15', 'yes'],
  ['7.2.4 (valkey)', 'yes'],
  ['10.0.0', 'yes'],
])('Redis %s serves jobs: %s', (version, serves) => {
  expect(redisServes({ version })).toBe(serves);
});
