import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type Pulled, pullFolder } from '../folder/pull.ts';
import { readFolder } from '../folder/sources.ts';
import { counted } from '../kernel/counted.ts';
import { endProgress, printResult, progress } from './context.ts';
import { keepSchemas } from './remote/schemas.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { styled } from './terminal.ts';

interface PullOptions extends RemoteOptions {
  readonly live?: boolean;
  readonly force?: boolean;
}

/** `savepoint pull`: writes the project's definitions as files. */
export function pullCommand(): Command {
  return remoteCommand('pull', 'write what the project holds into the folder; exit code 1: it would overwrite your changes')
    .option('--live', 'what is live, without what is staged')
    .option('--force', 'overwrite changes that were never pushed')
    .action(async (options: PullOptions) => {
      const remote = remoteOf(options);
      const { dir, project, address } = remote.server;
      progress(`reading ${project} on ${address}`);
      const { force = false } = options;
      const pulled = await pullFolder(remote, existsSync(dir) ? readFolder(dir) : { dir, sources: [], unrecognized: [] }, {
        target: options.live ? 'live' : 'next',
        force,
      }).finally(endProgress);
      await keepSchemas(dir);
      const isBlocked = pulled.blocked.length > 0 && !force;
      if (isBlocked) process.exitCode = 1;
      printResult(options, { ok: !isBlocked, ...pulled }, () => shown(pulled, isBlocked));
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint pull\n  savepoint pull --live --force\n  savepoint pull --address https://game.example --project p1 --dir game',
    );
}

function shown({ written, removed, own, blocked }: Pulled, isBlocked: boolean): string {
  if (isBlocked) {
    return `${blocked.map((path) => styled('red', `! ${path}`)).join('\n')}\nNothing was written: ${counted(blocked.length, 'file')} with changes of yours. \`savepoint diff\` shows them; push them, or overwrite them with \`savepoint pull --force\`.`;
  }
  const lines = [...written.map((path) => styled('green', `  ${path}`)), ...removed.map((path) => styled('red', `- ${path}`))];
  const kept = own.length === 0 ? [] : [`${counted(own.length, 'file')} of yours that the project does not hold: ${own.join(', ')}`];
  const done =
    lines.length === 0
      ? 'Nothing to pull: the folder holds all of this.'
      : `Pulled: ${counted(written.length, 'file')} written, ${removed.length} removed.`;
  return [...lines, ...kept, done].join('\n');
}
