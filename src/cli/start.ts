import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { isWorker } from '../cluster/worker.ts';
import { errorMessage } from '../kernel/error-reporting.ts';
import type { Node } from '../main.ts';
import { type CommonOptions, command, configOf, print } from './context.ts';

interface StartOptions extends CommonOptions {
  readonly port?: string;
  readonly host?: string;
  readonly roles?: string;
  readonly workers?: string;
  readonly demo: boolean;
}

/** `savepoint start`: runs a node until SIGTERM or SIGINT. */
export function startCommand(): Command {
  return command(
    'start',
    'run a node: database, projections and the HTTP server',
    'savepoint start',
    'savepoint start --port 9000 --data /var/lib/savepoint --no-demo',
    'DATABASE_URL=postgres://game:secret@db.example/game savepoint start --workers 4',
  )
    .option('--port <port>', 'port to listen on (default: PORT, or 8080)')
    .option('--host <address>', 'address to listen on (default: HOST, or 127.0.0.1)')
    .option('--roles <list>', 'what it does, with commas: api, projector, worker (default: ROLES, or all)')
    .option('--workers <count>', 'processes that serve requests behind the one port (default: WORKERS, or 1)')
    .option('--no-demo', 'make no demo project on the very first start')
    .action(async (options: StartOptions) => {
      const { port, host, roles, workers } = options;
      const config = configOf(options, { port, host, roles, workers });
      const [{ runWorker, startNode }, { createLogger }, { misspeltSettings }] = await Promise.all([
        import('../main.ts'),
        import('../logger.ts'),
        import('../config/misspelt.ts'),
      ]);
      const logger = createLogger({ level: config.logLevel, format: config.logFormat });
      // The first process of a node runs the same command again for each of its workers.
      if (isWorker()) return runWorker(config, logger);
      for (const problem of misspeltSettings(process.env)) logger.warn(problem);
      const stopping = stopSignal();
      const abort = new AbortController();
      stopping.then(() => abort.abort());
      const node = await startNode(config, { demo: options.demo, logger, onLost: () => process.exit(1), stopping: abort.signal });
      const file = join(resolve(config.dataDir), 'demo-project.json');
      const demo = typeof node.demo === 'string' ? null : node.demo;
      if (options.json) print(JSON.stringify({ url: node.url, demo }));
      else print(greeting(node, file));
      if (!options.json) await printConsole(node);
      await stopping;
      await node.close();
      if (!options.json) print('savepoint has stopped');
      // Unfinished work could keep the process alive.
      process.exit(0);
    });
}

/** Says where the console is. A link to sign in is printed on a terminal alone: elsewhere it would stay in a file. */
async function printConsole({ console: at }: Node): Promise<void> {
  if (at === null || !process.stdout.isTTY) return;
  const link = await at.firstLink().catch((error: unknown) => {
    print(`No link to the console could be made: ${errorMessage(error)}`);
    return null;
  });
  if (link === null) print(`The console is at ${at.origin}; \`savepoint console link\` makes a link to sign in`);
  else print(`Sign in to the console with this link, once and within ten minutes:\n  ${link}`);
}

const NO_DEMO = `No demo project was made: the log holds projects already. \`savepoint project list\` shows them,
\`savepoint key create ID\` makes a key of one, \`savepoint project create NAME\` another project.`;

/**
 * The first line says where the node listens. On the first start the demo project and a command to try follow. Later starts name the file
 * of its keys, because the first start may have ended before it printed them.
 */
function greeting(node: Node, file: string): string {
  const ready = `savepoint is ready on ${node.url}`;
  if (node.demo === 'the log holds projects') return `${NO_DEMO}\n${ready}`;
  if (typeof node.demo === 'string') return existsSync(file) ? `The keys of the demo project are in ${file}\n${ready}` : ready;
  const { projectId, publicKey, secretKey } = node.demo;
  return [
    `A demo project was made (kept in ${file}):`,
    `  project     ${projectId}`,
    `  public key  ${publicKey}`,
    `  secret key  ${secretKey}`,
    'Try it:',
    `  curl -s ${node.url}/v3/manage/${projectId}/validate -H 'x-api-key: ${secretKey}' -H 'x-public-key: ${publicKey}'`,
    ready,
  ].join('\n');
}

/** npm scripts that start a node, and how often a node checks whether npm still runs, ms. */
const NPM_SCRIPTS: readonly (string | undefined)[] = ['start', 'npx'];
const PARENT_MS = 500;

/**
 * Resolves at the first signal, even during the start. Further signals change nothing: Ctrl-C under `npm start` arrives twice, from the
 * terminal and from npm. A SIGTERM to npm does not arrive at all: it ends only the shell between npm and the node. So under npm the node
 * also stops when its parent process is gone.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
    if (!NPM_SCRIPTS.includes(process.env['npm_lifecycle_event'])) return;
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && resolve(), PARENT_MS).unref();
  });
}
