import { isObject } from './answer.ts';
import type { Credentials } from './options.ts';

/** Credentials from the environment or a file. A browser has neither. */

interface Files {
  readFileSync(path: string, encoding: 'utf8'): string;
}
interface Program {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(name: string): unknown;
}

const FILE = 'savepoint.credentials.json';
/** The launch flag of dedicated servers. The key is the next argument, or stands behind a `=`. */
const SECRET_FLAG = '+network_storage_secret_key';

/**
 * Reads the launch flag `+network_storage_secret_key KEY`, then `SAVEPOINT_URL`, `SAVEPOINT_PROJECT`, `SAVEPOINT_PUBLIC_KEY` and
 * `SAVEPOINT_SECRET_KEY`. What they lack is read from a JSON file, `{url, projectId, publicKey, secretKey}`, at `path`; by default at
 * `SAVEPOINT_CREDENTIALS`, or `savepoint.credentials.json` in the working folder. Returns `{}` if nothing is found. A secret key makes a
 * client only with `clientType: 'dedicated'` or `'editor'`. Throws if the file holds no object, or if a file that was named cannot be read.
 *
 * @example
 * ```ts
 * const found = credentials();
 * const client = createClient({ url, projectId, publicKey, ...found, clientType: 'dedicated' });
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
    secretKey: flagOf(program?.argv ?? []) ?? env['SAVEPOINT_SECRET_KEY'] ?? stored['secretKey'],
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => typeof value === 'string' && value !== ''));
}

function flagOf(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === SECRET_FLAG || arg.startsWith(`${SECRET_FLAG}=`));
  return at === -1 ? undefined : args[at]?.slice(SECRET_FLAG.length + 1) || args[at + 1];
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
