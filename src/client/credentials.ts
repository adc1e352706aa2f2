import { isObject } from './answer.ts';
import type { Credentials } from './options.ts';

/** Credentials from the environment or a file. A browser has neither. */

interface Files {
  readFileSync(path: string, encoding: 'utf8'): string;
}
interface Program {
  readonly env?: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(name: string): unknown;
}

const FILE = 'savepoint.credentials.json';

/**
 * Reads `SAVEPOINT_URL`, `SAVEPOINT_PROJECT`, `SAVEPOINT_PUBLIC_KEY` and `SAVEPOINT_SECRET_KEY`. What they lack is read from a JSON file,
 * `{url, projectId, publicKey, secretKey}`, at `path`; by default at `SAVEPOINT_CREDENTIALS`, or `savepoint.credentials.json` in the working
 * folder. Returns `{}` if nothing is found. Throws if the file holds no object, or if a file that was named cannot be read.
 *
 * @example
 * ```ts
 * const found = credentials();
 * const client = createClient({ url, projectId, publicKey, ...found });
 * client.isConfigured; // → true
 * ```
 */
export function credentials(path?: string): Partial<Credentials> {
  const program = (globalThis as { readonly process?: Program }).process;
  const env = program?.env ?? {};
  const file = path ?? env['SAVEPOINT_CREDENTIALS'];
  const stored = fileOf(program, file ?? FILE, file !== undefined);
  const named = {
    url: env['SAVEPOINT_URL'] ?? stored['url'],
    projectId: env['SAVEPOINT_PROJECT'] ?? stored['projectId'],
    publicKey: env['SAVEPOINT_PUBLIC_KEY'] ?? stored['publicKey'],
    secretKey: env['SAVEPOINT_SECRET_KEY'] ?? stored['secretKey'],
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => typeof value === 'string' && value !== ''));
}

function fileOf(program: Program | undefined, path: string, isWanted: boolean): Readonly<Record<string, unknown>> {
  const files = program?.getBuiltinModule?.('node:fs') as Files | undefined;
  if (files === undefined) return {};
  let text: string;
  try {
    text = files.readFileSync(path, 'utf8');
  } catch (error) {
    if (isWanted) throw error;
    return {};
  }
  // Some editors begin a file with a byte order mark.
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (!isObject(value)) throw new Error(`${path} must hold an object with url, projectId and publicKey`);
  return value;
}
