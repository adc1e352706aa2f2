import { expect, test } from 'vitest';
import { sharedBuffers } from '../../../infra/postgres/settings.ts';

test('the embedded Postgres has an eighth of the memory for its pages, 128 MB to 1 GB', () => {
  const gb = 1024 ** 3;
  expect([0.5, 1, 2, 4, 8, 64].map((memory) => sharedBuffers(memory * gb))).toEqual([128, 128, 256, 512, 1024, 1024]);
});
