import type { Command } from 'commander';
import { keepUserKeys, needSafeAddress, serverOf } from '../folder/credentials.ts';
import { FolderProblem } from '../folder/problem.ts';
import { Remote } from '../folder/remote.ts';
import { printNote, printResult } from './context.ts';
import { type RemoteOptions, remoteCommand } from './remote.ts';

interface LoginOptions extends RemoteOptions {
  readonly publicKey?: string;
}

/** `savepoint login`: stores a project's secret key in the user's own file. */
export function loginCommand(): Command {
  return remoteCommand('login', 'keep the secret key of the project in your own file (~/.config/savepoint); it is read from standard input')
    .option('--public-key <key>', 'the public key, for types and clients')
    .action(async (options: LoginOptions) => {
      const { isNamed: _, ...server } = serverOf(options);
      needSafeAddress(server.address);
      if (process.stdin.isTTY) printNote(`The secret key of project ${server.project} on ${server.address}, and Enter:`);
      const secretKey = await firstLine();
      if (secretKey === '') throw new FolderProblem('NO_KEY', 'No key came on standard input.');
      const { publicKey } = options;
      await new Remote({ ...server, secretKey, publicKey: publicKey ?? null }).validate();
      const path = keepUserKeys(server, { secretKey, ...(publicKey === undefined ? {} : { publicKey }) });
      printResult(
        options,
        { ok: true, address: server.address, project: server.project, file: path },
        () => `The key works, and is kept in ${path}.`,
      );
    })
    .addHelpText('after', '\nExamples:\n  savepoint login\n  echo "$SECRET" | savepoint login --address https://game.example --project p1');
}

async function firstLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n') || text.length > 1024) break;
  }
  return text.split('\n')[0]?.trim() ?? '';
}
