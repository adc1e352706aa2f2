import { Command } from 'commander';
import { holdsMask, MASK } from '../domain/personal/mask.ts';
import { type ServerOptions, serverAccessOf } from '../folder/credentials.ts';
import { Remote } from '../folder/remote.ts';
import { JSON_HELP, printNote } from './context.ts';

/**
 * Shared by commands that work on a game's folder or send requests for it. They need only a server's address and a key, and load no part of
 * the server.
 */

export interface RemoteOptions extends ServerOptions {
  readonly json?: boolean;
  /** Of commands that are {@link revealing}. */
  readonly reveal?: string;
}

/** A command on a game's folder that needs no server. */
function folderCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--dir <folder>', 'the folder of the game (default: where savepoint.json is, here or above)')
    .option('--json', JSON_HELP);
}

/** A command about a server, whatever project. */
export function serverCommand(name: string, description: string): Command {
  return folderCommand(name, description).option('--address <url>', 'the server (default: SAVEPOINT_URL, or savepoint.json)');
}

/** A command that sends requests to a server; {@link remoteOf} makes its client. */
export function remoteCommand(name: string, description: string): Command {
  return serverCommand(name, description).option('--project <id>', 'the project there (default: SAVEPOINT_PROJECT, or savepoint.json)');
}

/** A command that shows what players have: a person may have personal values shown, too. */
export function revealing(made: Command): Command {
  return made.option(
    '--reveal <reason>',
    'as a person: show personal values, too; who, whose and this reason are recorded before the answer',
  );
}

/** What a request for personal values says. */
export function revealOf({ reveal }: Pick<RemoteOptions, 'reveal'>): Readonly<Record<string, string>> {
  return reveal === undefined ? {} : { 'x-ns-reveal': encodeURIComponent(reveal) };
}

/** The client of the options' project; `remote.server.dir` is the folder. Throws `FolderProblem` that says what is missing. */
export function remoteOf(options: RemoteOptions): Remote {
  let isMasked = false;
  return new Remote(serverAccessOf(options), {
    onRetry: (why, waitMs) => printNote(`${why} Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
    onAnswer({ body }) {
      if (isMasked || !holdsMask(body ?? null)) return;
      isMasked = true;
      printNote(`Personal values are masked as ${MASK}. A person whose role has \`reveal\` is shown them with --reveal REASON.`);
    },
    headers: revealOf(options),
  });
}
