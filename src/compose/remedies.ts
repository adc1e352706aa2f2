const UNKNOWN_ISSUER =
  'Name the certificate of its issuer in DATABASE_URL: sslrootcert=/path/ca.pem; or do not ask who it is: sslmode=no-verify.';

/**
 * What to do, by error code of the system or of Postgres. A command's database is that of `DATABASE_URL`, or the embedded one.
 */
const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Another program listens there: choose another --port, or stop that program.',
  EADDRNOTAVAIL: 'This machine has no such address: choose another --host.',
  EACCES: 'This user may not: choose another file or folder, or give it the right.',
  ECONNREFUSED: 'Nothing answers there: check DATABASE_URL and that the database runs.',
  ENOTFOUND: 'No machine has this name: check the host in DATABASE_URL, and --host.',
  EAI_AGAIN: 'The name could not be looked up: check the host in DATABASE_URL, --host, and the name service of this machine.',
  ETIMEDOUT: 'No answer came: check host and port in DATABASE_URL, and what filters the network between.',
  EHOSTUNREACH: 'There is no way to that machine: check the host in DATABASE_URL.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  ERR_TLS_CERT_ALTNAME_INVALID: 'Name the server in DATABASE_URL as its certificate does, or do not ask who it is: sslmode=no-verify.',
  CERT_HAS_EXPIRED: 'Renew the certificate of that server.',
  '25006': 'This database takes no writes: name the primary in DATABASE_URL, and look at its default_transaction_read_only.',
  '28P01': 'Check user and password in DATABASE_URL; of a password the characters @ : / ? # % stand there as %40 %3A %2F %3F %23 %25.',
  '28000': 'The server does not let this user in from here: check the user in DATABASE_URL, and its pg_hba.conf.',
  '3D000': 'Make that database (createdb), or correct its name at the end of DATABASE_URL.',
  '42501': 'The user of DATABASE_URL needs this right: let it own the database.',
  '53100': 'The disk of the server is full: free some space there.',
  '53300': 'The server takes no more connections: raise its max_connections, or stop what holds them.',
};

/** What to do, by message, for errors of the Postgres driver without a code. */
const REMEDIES_BY_MESSAGE: Readonly<Record<string, string | undefined>> = {
  'timeout expired': REMEDIES['ETIMEDOUT'],
  'Connection terminated due to connection timeout': REMEDIES['ETIMEDOUT'],
  'The server does not support SSL connections': 'Turn TLS on there (ssl = on), or leave sslmode out of DATABASE_URL.',
  'Connection terminated unexpectedly':
    'What listens there ended the connection: check that host and port in DATABASE_URL are those of a Postgres.',
};

/** What to do about an error of the system or of Postgres; `undefined` for one that says nothing by itself. */
export function remedyOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (Object.hasOwn(REMEDIES, code)) return REMEDIES[code];
  return Object.hasOwn(REMEDIES_BY_MESSAGE, error.message) ? REMEDIES_BY_MESSAGE[error.message] : undefined;
}
