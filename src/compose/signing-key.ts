import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { QUERY_TIMEOUT } from '../../projections/query-timeout.ts';
import { createSigner, type Signer } from '../app/ports/signer.ts';

const NAME = 'config-signing-key';
const BITS = 2048;

const READ = 'SELECT value FROM savepoint.installation WHERE name = $1';
/** If several nodes make a key at once, the first one counts. */
const KEEP = 'INSERT INTO savepoint.installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING';

/**
 * The key that signs security configs. It is made when first needed and stored in the database, so that every node of the installation
 * signs with the same key, also after a restart.
 */
export function installationSigner(pool: Pool): () => Promise<Signer> {
  let known: Promise<Signer> | null = null;
  return () => {
    known ??= readOrMake(pool)
      .then(createSigner)
      .catch((error: unknown) => {
        // The database could not be reached. The next caller tries again.
        known = null;
        throw error;
      });
    return known;
  };
}

async function readOrMake(pool: Pool): Promise<string> {
  const present = await read(pool);
  if (present !== null) return present;
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await pool.query({ ...QUERY_TIMEOUT, text: KEEP, values: [NAME, pem] });
  const kept = await read(pool);
  if (kept === null) throw new Error('the signing key was stored and is not there');
  return kept;
}

async function read(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ value: string }>({ ...QUERY_TIMEOUT, text: READ, values: [NAME] });
  return rows[0]?.value ?? null;
}
