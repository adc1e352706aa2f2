import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { stopBeforeEnd } from '../../infra/postgres/process-exit.ts';
import type { Installation } from '../compose/installation.ts';
import { type Config, readConfig, redactUrl } from '../config/config.ts';
import { refusal } from '../kernel/errors.ts';
import { projectStream } from '../log/streams.ts';
import { printable, printableLine } from './terminal.ts';
import { WrongUsage } from './wrong-usage.ts';

/**
 * Shared by all commands: the data folder, machine output, reports of failures. Loading takes most of a short command's time, so each
 * command loads what it needs when it runs, and help loads nothing.
 */

/** Where `savepoint dev` keeps the data of a folder's own node. */
const LOCAL_DATA = '.savepoint/data';

export interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

export const JSON_HELP = 'print one JSON value and nothing else on standard output';

export const JSON_LINES = 'print one JSON value on a line for each event (NDJSON), and nothing else on standard output';

/** Describes the output of `--json` in the help, for a command that does not print exactly one value. */
export function withJsonHelp(made: Command, description: string): Command {
  const option = made.options.find(({ long }) => long === '--json');
  if (option !== undefined) option.description = description;
  return made;
}

/** A command with the options that all commands have. `examples`: whole command lines. */
export function command(name: string, description: string, ...examples: readonly [string, ...string[]]): Command {
  return new Command(name)
    .description(description)
    .option('--data <dir>', 'data folder (default: SAVEPOINT_DATA, or ./data)')
    .option('--json', JSON_HELP)
    .hook('preAction', (_, acting) => requireOnePlace(acting.opts<CommonOptions>()))
    .addHelpText('after', ['\nExamples:', ...examples.map((line) => `  ${line}`)].join('\n'));
}

/**
 * Refuses `--data` beside DATABASE_URL. Whoever names a folder means the database in it, as in a drill of a restore, and would get the live
 * one.
 */
function requireOnePlace({ data }: CommonOptions): void {
  const url = process.env['DATABASE_URL']?.trim() ?? '';
  if (data === undefined || url === '') return;
  throw new WrongUsage(
    `--data names the database in ${data}, and DATABASE_URL another one (${redactUrl(url)}); nothing was done. For the folder, unset it: ` +
      '`env -u DATABASE_URL savepoint …`. For that server, leave --data out; SAVEPOINT_DATA names the folder of a node that has one.',
  );
}

/** The settings of the environment, with `--data` and `overrides` before them. Throws `ConfigProblem`. */
export function configOf(options: CommonOptions, overrides: Readonly<Record<string, unknown>> = {}): Config {
  return readConfig(process.env, { ...(options.data === undefined ? {} : { dataDir: options.data }), ...overrides });
}

/**
 * Opens the installation, runs a command's work on it and closes it, whether a node runs beside it or not. Throws NOT_FOUND if there is
 * none, unless `mayMake`.
 */
export async function withInstallation<T>(
  options: CommonOptions,
  work: (installation: Installation) => Promise<T>,
  { mayMake }: { readonly mayMake: boolean } = { mayMake: false },
): Promise<T> {
  const config = configOf(options);
  const isNamed = [options.data, process.env['SAVEPOINT_DATA'], process.env['DATABASE_URL']].some((given) => given !== undefined);
  if (!isNamed && existsSync(LOCAL_DATA))
    printNote(`Note: this looks at ./data. The node of \`savepoint dev\` has its data in ${LOCAL_DATA}: --data ${LOCAL_DATA}`);
  const [{ openInstallation }, { createLogger }] = await Promise.all([import('../compose/installation.ts'), import('../logger.ts')]);
  const logger = createLogger({ level: 'warn', format: config.logFormat });
  // The command itself ends these connections, so their end is not reported.
  const ended = stopBeforeEnd(async () => {
    logger.level = 'silent';
  });
  const isNew = mayMake && config.databaseUrl === null && !existsSync(config.dataDir);
  try {
    const installation = await openInstallation(config, logger, { mayMake });
    if (isNew)
      printNote(`Note: there was no installation here. A new one is made in ${resolve(config.dataDir)}; a node runs on it with --data.`);
    try {
      return await work(installation);
    } finally {
      await installation.close();
    }
  } finally {
    ended();
  }
}

/**
 * Throws NOT_FOUND for a project that does not exist. Without this a misspelt project would look like an empty one. A deleted project keeps
 * its log.
 */
export async function needProject({ log }: Installation, projectId: string | undefined): Promise<void> {
  if (projectId === undefined || (await log.head(projectStream(projectId))) !== null) return;
  throw refusal('NOT_FOUND', `No project ${projectId}; \`savepoint project list\` lists all projects`);
}

/** Waits until the read models have projected `revision`, and prints a note if they do not. */
export async function awaitProjected({ waitUntilProjected }: Installation, projectId: string, revision: number): Promise<void> {
  const waiting = (at: number) => progress(`written; waiting for the read models: they are at revision ${at} of ${revision}`);
  const shown = await waitUntilProjected(projectId, revision, waiting);
  endProgress();
  if (shown) return;
  printNote(
    `Note: this is written (revision ${revision} of project ${projectId}) and in force, but lists and views do not show it yet. ` +
      'A node with the role projector brings them up; `savepoint doctor` and the log of that node tell what keeps it.',
  );
}

/** Prints to standard output, which carries only the result; everything else goes to standard error. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Prints a line for people, on standard error. */
export function printNote(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Prints the result: as JSON with `--json`, otherwise as text for people. */
export function printResult(options: CommonOptions, value: unknown, forPeople: () => string): void {
  print(options.json ? JSON.stringify(value) : forPeople());
}

/** Columns padded to their widest cell. Each row is one line, whatever its cells contain. */
export function table(header: readonly string[], cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printableLine));
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)].join('\n');
}

/** A progress line that replaces the one before it. Shown on a terminal only. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${printableLine(text)}`);
}

/** Removes the progress line. */
export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[2K');
}
