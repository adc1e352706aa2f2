import { expect, it } from 'vitest';
import { deviceOf, placeOf } from '../../src/console/words/device.ts';

it('a session is told by browser and system, also where a browser is made of another one', () => {
  const edge =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0';
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
  expect([edge, phone, 'curl/8.5.0', ''].map(deviceOf)).toEqual([
    'Edge on Windows',
    'Safari on iOS',
    'curl/8.5.0',
    'Something without a name',
  ]);
  expect([placeOf(null), placeOf('192.0.2.7')]).toEqual(['the server’s own machine', '192.0.2.7']);
});
