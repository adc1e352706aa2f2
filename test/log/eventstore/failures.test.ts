import { expect, test } from 'vitest';
import { appendFailure, readFailure } from '../../../src/log/eventstore/failures.ts';
import { LogUnavailable, OutcomeUnknown } from '../../../src/log/port.ts';

/** Failures as the client reported them for a real server (23.10, with TLS and users). */
const WRONG_PASSWORD = Object.assign(new Error('16 UNAUTHENTICATED: Unauthenticated'), { type: 'access-denied', code: 16 });
const NO_GRANT = Object.assign(new Error('7 PERMISSION_DENIED: Access Denied'), { type: 'access-denied', code: 7 });

test('a wrong password and a missing grant are told apart, each with what to do', () => {
  expect(readFailure(WRONG_PASSWORD, '$all')).toBeInstanceOf(LogUnavailable);
  expect(readFailure(WRONG_PASSWORD, '$all').message).toBe('the log does not know this account, or not with this password');
  expect(readFailure(NO_GRANT, '$all').message).toMatch(/^the log does not let this account read \$all; .*granted reading \$all/);
  expect(appendFailure(WRONG_PASSWORD, 'project-a')).toBeInstanceOf(OutcomeUnknown);
  expect(appendFailure(WRONG_PASSWORD, 'project-a').message).toMatch(/account, or not with this password/);
});
