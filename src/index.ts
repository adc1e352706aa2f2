import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigProblem, readConfig } from './config/config.ts';
import { createLogger } from './logger.ts';
import { startNode as startWith } from './main.ts';

/** The package `savepoint`: a node that a program starts itself. docs/embedding.md says how it is used. */

export interface NodeOptions {
  /** Folder for everything that the node keeps. When left out: a new one of the system's temporary folder, which `close` removes. */
  readonly dataDir?: string;
  /** When left out: any free port. */
  readonly port?: number;
  /** A Postgres of your own, `postgres://…`. When left out the one that comes with the package runs in `dataDir`. */
  readonly databaseUrl?: string;
  /** More settings by their variables (docs/settings.md), such as `{ CORS_ORIGINS: 'http://localhost:5173' }`. The environment is not read. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** What opens a project: `createClient` of `savepoint/client` takes it as it is. */
export interface NewProject {
  /** Of the node. */
  readonly url: string;
  readonly projectId: string;
  readonly publicKey: string;
  /** Opens everything; it is shown here and never again. */
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

/** The node is of this program, so what it has to say is not mixed with the program's own words unless it is a warning. */
const SETTINGS = { LOG_LEVEL: 'warn', PORT: '0' };

/**
 * Starts a node in this process: database, projections, HTTP server and jobs. It listens when this resolves. It takes no signals, reads no
 * environment and never ends the process; warnings are JSON lines on standard error (`LOG_LEVEL`). Throws an error that says what to do for
 * a wrong setting, a folder or a port in use.
 *
 * @example
 * ```ts
 * const node = await startNode();
 * const client = createClient(await node.createProject());
 * await node.close();
 * ```
 */
export async function startNode({ dataDir, port, databaseUrl, settings }: NodeOptions = {}): Promise<Node> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'savepoint-')));
  const removeFolder = async () => {
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    const config = readConfig({ ...SETTINGS, ...settings }, { dataDir: folder, port: port?.toString(), databaseUrl });
    if (config.workers > 1) throw new ConfigProblem('WORKERS is more than 1; a node of a program is one process: use `savepoint start`');
    const logger = createLogger({ level: config.logLevel });
    const node = await startWith(config, { demo: false, logger, onLost: () => undefined });
    const { url, createProject } = node;
    if (createProject === null) {
      await node.close();
      throw new ConfigProblem('ROLES has no api; a node of a program serves requests');
    }
    let closing: Promise<void> | null = null;
    return {
      url,
      createProject: async (name = 'Game') => ({ url, ...(await createProject(name)) }),
      close: () => (closing ??= node.close().then(removeFolder)),
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}
