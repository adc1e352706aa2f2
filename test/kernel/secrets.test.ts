import { expect, it } from 'vitest';
import { errorMessage } from '../../src/kernel/error-reporting.ts';
import { maskSecrets } from '../../src/kernel/secrets.ts';
import { SECRETS } from '../support/secrets.ts';

it.each(Object.entries(SECRETS))('%s is masked wherever it stands', (_what, secret) => {
  const places = [secret, `a ${secret} b`, `"${secret}"`, `/v3/x/${secret}/y`, `{"path":"${secret}"}`, `(${secret})`, `x=${secret}&y`];
  for (const text of places) {
    expect(maskSecrets(text)).not.toContain(secret);
    expect(errorMessage(new Error(text))).not.toContain(secret);
  }
});

it.each([
  'task_list',
  'ask_me',
  '76561198000000042',
  'guest-000102030405060708090a0b0c0d0e0f',
  '0198c0de-0000-7000-8000-000000000000',
  'https://game.example/v3/storage/p1/players',
  'sp_ns_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL',
  'Until it is promoted, what was pushed to next answers only to calls for next',
])('what is no secret stays: %s', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

// With a search from each letter to the end of a word, one of these takes hours.
it.each(['a', 'a.', 'ab://', 'eyJ', 'sk_', 'abcd-', 'a+'])('a long text of %j is searched once', (piece) => {
  expect(maskSecrets(piece.repeat(250_000 / piece.length)).length).toBeGreaterThan(0);
});

it('a masked line of the log is still JSON', () => {
  const line = JSON.stringify({ msg: 'x', url: SECRETS['password in an address'], path: `/${SECRETS['session']}` });
  expect(JSON.parse(maskSecrets(line))).toEqual({ msg: 'x', url: 'postgres://u:***@db.example/x?***', path: '/ns_sess_***' });
});
