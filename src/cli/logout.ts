import type { Command } from 'commander';
import { reachable, serverAddress } from '../folder/credentials.ts';
import { exchange } from '../folder/exchange.ts';
import { FolderProblem } from '../folder/problem.ts';
import { forgetPerson, personAt } from '../folder/user-file.ts';
import { printNote, printResult } from './context.ts';
import { type RemoteOptions, serverCommand } from './remote.ts';

/** `savepoint logout`: ends what `savepoint login --console` began. */
export function logoutCommand(): Command {
  return serverCommand('logout', 'sign yourself out on the command line: the session ends on the server, and your own file forgets it')
    .action(async (options: RemoteOptions) => {
      const address = serverAddress(options);
      const person = address === null ? null : personAt(address);
      if (address === null || person === null)
        throw new FolderProblem(
          'NO_KEY',
          address === null
            ? 'No server is named: give the `--address` that `savepoint login --console` told, or call this in the folder of the game.'
            : `Nobody is signed in on ${address}.`,
        );
      forgetPerson(address);
      const url = `${reachable(person.console)}/api/session`;
      const isEnded = await exchange({ method: 'DELETE', url, headers: { 'x-person-token': person.token }, again: 'never' }).then(
        () => true,
        () => false,
      );
      if (!isEnded)
        printNote(
          `Note: ${person.console} did not confirm it. Where the session is still open, end it in the console, under your account.`,
        );
      printResult(options, { ok: true, address, person: person.name, ended: isEnded }, () => `${person.name} is signed out on ${address}.`);
    })
    .addHelpText('after', '\nExamples:\n  savepoint logout\n  savepoint logout --address https://game.example');
}
