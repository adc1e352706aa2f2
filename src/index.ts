import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigProblem, readConfig } from './config/config.ts';
import { VARIABLES } from './config/misspelt.ts';
import { didYouMean } from './kernel/nearest.ts';
import { createLogger } from './logger.ts';
import { startNode as startWith } from './main.ts';

/** The package `savepoint`: a node that another program starts. docs/embedding.md says how to use it. */

export interface NodeOptions {
  /** Folder for the node's data. Default: a new folder in the system's temporary folder, which `close` removes. */
  readonly dataDir?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** A Postgres of your own, `postgres://…`. Default: the embedded one, in `dataDir`. */
  readonly databaseUrl?: string;
  /** Further settings by variable (docs/settings.md), such as `{ CORS_ORIGINS: 'http://localhost:5173' }`. The environment is not read. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A new project with its keys. `createClient` of `savepoint/client` takes it as options. */
export interface NewProject {
  /** Address of the node. */
  readonly url: string;
  readonly projectId: string;
  readonly publicKey: string;
  /** Has every permission. It is shown here only. */
  readonly secretKey: string;
}

export interface Node {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Makes an empty project with a key of each kind. */
  createProject(name?: string): Promise<NewProject>;
  /** Lets running requests finish, stops the node and its database. It may be called twice. */
  close(): Promise<void>;
}

/** The node is part of another program, so it logs only warnings and errors. */
const SETTINGS = { LOG_LEVEL: 'warn', PORT: '0', CONSOLE_LISTEN: 'off' };

/**
 * Starts a node in this process: database, projections, HTTP server and jobs. Resolves when it listens. It handles no signals, reads no
 * environment and never ends the process; warnings are JSON lines on standard error (`LOG_LEVEL`). Throws an error that says what to do for
 * an invalid setting, or a folder or port in use.
 *
 * @example
 * ```ts
 * const node = await startNode();
 * const client = createClient(await node.createProject());
 * await node.close();
 * ```
 */
export async function startNode(options: NodeOptions = {}): Promise<Node> {
  const { dataDir, port, databaseUrl, settings = {} } = options;
  requireKnown('option of startNode', Object.keys(options), OPTIONS);
  requireKnown('setting', Object.keys(settings), VARIABLES);
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'savepoint-')));
  const removeFolder = async () => {
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    const config = readConfig({ ...SETTINGS, ...settings }, { dataDir: folder, port: port?.toString(), databaseUrl });
    if (config.workers > 1) throw new ConfigProblem('WORKERS is more than 1; a node of a program is one process: use `savepoint start`');
    const logger = createLogger({ level: config.logLevel, format: config.logFormat });
    const node = await startWith(config, { demo: false, logger, onLost: () => undefined });
    const { url, createProject } = node;
    if (createProject === null) {
      await node.close();
      throw new ConfigProblem('ROLES has no api; a node of a program serves requests');
    }
    let closing: Promise<void> | null = null;
    return {
      url,
      createProject: async (name = 'Game') => {
        if (closing !== null) throw new ConfigProblem('The node is closed');
        return { url, ...(await createProject(name)) };
      },
      close: () => (closing ??= node.close().then(removeFolder)),
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

const OPTIONS: ReadonlySet<string> = new Set(['dataDir', 'port', 'databaseUrl', 'settings'] satisfies (keyof NodeOptions)[]);

/** Throws `ConfigProblem` for a name that would have no effect. */
function requireKnown(what: string, names: readonly string[], known: ReadonlySet<string>): void {
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new ConfigProblem(`\`${unknown}\` is no ${what}. ${didYouMean(unknown, known) ?? ''}`.trimEnd());
}
