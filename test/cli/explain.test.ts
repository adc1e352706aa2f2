import { expect, test } from 'vitest';
import { explain } from '../../src/cli/explain.ts';
import { refusal } from '../../src/kernel/errors.ts';

function failure(message: string, members: object = {}): Error {
  return Object.assign(new Error(message), members);
}

test.each([
  ['a port that is taken', failure('listen EADDRINUSE', { code: 'EADDRINUSE', syscall: 'listen' }), /another --port/],
  ['a port of the system', failure('listen EACCES', { code: 'EACCES', syscall: 'listen' }), /--port above 1023/],
  [
    'a file of somebody else',
    failure("EACCES: permission denied, open '/x'", { code: 'EACCES', syscall: 'open' }),
    /another file or folder/,
  ],
  ['an address of another machine', failure('listen EADDRNOTAVAIL', { code: 'EADDRNOTAVAIL', syscall: 'listen' }), /another --host/],
  ['a database that is off', failure('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }), /check DATABASE_URL/],
  ['a host that is none', failure('getaddrinfo ENOTFOUND x', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }), /check the host.*--host/],
  ['a database that a firewall hides', failure('timeout expired'), /No answer came.*DATABASE_URL/],
  ['a port of something else', failure('Connection terminated unexpectedly'), /ended the connection.*DATABASE_URL/],
  [
    'a server whose issuer is unknown',
    failure('self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    /sslrootcert=.*no-verify/,
  ],
  ['a server under another name', failure('Hostname does not match', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), /as its certificate does/],
  ['a server without TLS', failure('The server does not support SSL connections'), /leave sslmode out/],
  ['a standby', failure('cannot execute CREATE SCHEMA in a read-only transaction', { code: '25006' }), /name the primary in DATABASE_URL/],
  ['a wrong password', failure('password authentication failed', { code: '28P01' }), /user and password in DATABASE_URL.*%40/],
  ['a database that was not made', failure('database "x" does not exist', { code: '3D000' }), /createdb/],
])('%s is told with what to do', (_, error, cure) => {
  expect(explain(error)).toMatch(cure);
  expect(explain(error).startsWith(error.message)).toBe(true);
});

test('a refusal is explained with its code, and an unknown fault without its stack', () => {
  expect(explain(refusal('NOT_FOUND', 'No project x'))).toBe('No project x (NOT_FOUND)');
  expect(explain(failure('boom'))).toBe('boom (set SAVEPOINT_DEBUG=1 for the details)');
  expect(explain(failure('ENOENT: no such file', { code: 'ENOENT', syscall: 'open' }))).toBe('ENOENT: no such file');
});
