import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NOTICES } from '../../src/console/words/notices.ts';
import { noticeOf, refusalOf } from '../../src/console/words/refusal.ts';
import { CATALOGUE } from '../../src/kernel/errors.ts';

/** What is told of a request that was refused. */

/** Codes of the page itself, and of the routes that the contract of games does not describe. */
const OF_PAGE = ['UNREACHABLE', 'SIGNED_OUT', 'BROKE_OFF', 'EXPORT_UNDER_WAY', 'ISSUER_UNAVAILABLE', 'ACCOUNT_LINKED'];

/** Codes of routes that the page calls, of which the server's sentence says enough: people of the console hardly meet them. */
const TOLD_BY_THE_SERVER = [
  // Of players and keys, which nobody of the console is.
  ...['AUTH_SESSION_DISABLED', 'AUTH_SESSION_EXPIRED', 'AUTH_SESSION_INVALID', 'AUTH_SESSION_PLATFORMID_MISMATCH', 'AUTH_SESSION_REQUIRED'],
  ...[
    'APPROVER_IS_KEY',
    'KEY_DISABLED',
    'MISSING_PLATFORM_ID',
    'PLATFORM_AUTH_FAILED',
    'REVISION_OUTDATED',
    'SECRET_KEY_INVALID',
    'SECRET_KEY_REQUIRED',
  ],
  // Of requests that the page does not send.
  ...['COLLECTION_TYPE_MISMATCH', 'ENDPOINT_NOT_SUPPORTED', 'INVALID_JSON', 'PREFLIGHT_VALIDATION_FAILED'],
  ...['UNKNOWN_SECTION', 'UNSUPPORTED_ENCODING', 'ANSWER_TOO_LARGE'],
  // Another name of PROJECT_DISABLED, of routes of queries.
  'DISABLED',
];

it('has words only for codes that there are', () => {
  expect(Object.keys(NOTICES).filter((code) => !Object.hasOwn(CATALOGUE, code) && !OF_PAGE.includes(code))).toEqual([]);
});

it('has words for every code of every route that a page calls, or the server’s own sentence is enough', () => {
  // It does nothing where the client is there already.
  execFileSync(process.execPath, ['infra/build/console-client.mjs']);
  const client = readFileSync('src/console/api/generated.ts', 'utf8');
  const codes = new Set(
    [...client.matchAll(/code\?: ([^;]+);/g)].flatMap(([, union = '']) => [...union.matchAll(/"(\w+)"/g)].map(([, code = '']) => code)),
  );
  expect(codes.size).toBeGreaterThan(80);
  expect([...codes].filter((code) => !Object.hasOwn(NOTICES, code) && !TOLD_BY_THE_SERVER.includes(code))).toEqual([]);
  expect(TOLD_BY_THE_SERVER.filter((code) => Object.hasOwn(NOTICES, code) || !codes.has(code))).toEqual([]);
});

it('says whole sentences', () => {
  const texts = Object.values(NOTICES).flatMap(({ happened, means = '.', toDo }) => [happened, means, toDo]);
  expect(texts.filter((text) => !text.endsWith('.'))).toEqual([]);
});

const told = (status: number, code: string, wrote: boolean) => {
  const { means, toDo } = noticeOf(refusalOf(status, { error: { code, message: 'So it is' } }, wrote), NOTICES);
  return [means, toDo];
};

it('promises that nothing was changed only of a change that was refused, and of a read says that it is not shown', () => {
  expect(told(400, 'X', true)[0]).toBe('Nothing was changed.');
  expect(told(400, 'X', false)).toEqual(['It could not be shown.', 'Ask for something else, or load the page again.']);
  expect(told(403, 'FORBIDDEN', false)[0]).toBe('It could not be shown.');
  expect(told(403, 'FORBIDDEN', true)[0]).toBe('Nothing was changed.');
});

it('promises nothing of a change that failed inside the server, unless its code says what became of it', () => {
  expect(told(500, 'X', true)).toEqual(['Whether it happened is not known.', 'Look at the last commits before you repeat it.']);
  expect(told(500, 'INTERNAL_ERROR', true)[0]).toBe('Whether it happened is not known.');
  expect(told(502, 'UNKNOWN', true)[0]).toBe('Whether it happened is not known.');
  expect(told(500, 'MANAGEMENT_MUTATION_FAILED', true)[0]).toBe('Nothing was changed.');
  // It was not even begun.
  expect(told(503, 'BUSY', true)[0]).toBe('Nothing was changed.');
  expect(told(500, 'INTERNAL_ERROR', false)[0]).toBe('It could not be shown.');
});

it('says by the status what to do about a code that has no words', () => {
  expect(told(403, 'X', false)[1]).toBe('Ask an owner of the project for a role that may.');
  expect(told(404, 'X', false)[1]).toBe('Look whether the id is whole.');
  expect(told(409, 'X', true)[1]).toBe('It is otherwise than this page shows: load it again, and look before you go on.');
  expect(told(429, 'X', true)[1]).toBe('Wait a little, and try again.');
  expect(told(503, 'X', false)[1]).toBe('Try again in a moment. If it goes on, look at Health.');
});
