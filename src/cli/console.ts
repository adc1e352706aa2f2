import { Command } from 'commander';
import { refusal } from '../kernel/errors.ts';
import { type CommonOptions, command, printResult, withInstallation } from './context.ts';

/** `savepoint console`: the way into the console, for whoever has the machine. */
export function consoleCommand(): Command {
  return new Command('console').description('sign in to the console').addCommand(link());
}

function link(): Command {
  return command('link', 'make a link to sign in to the console, which is good once and for ten minutes', 'savepoint console link').action(
    async (options: CommonOptions) => {
      const url = await withInstallation(options, async ({ config, pool }) => {
        const [{ addressOfLink, originOf, signInOf }, { OPERATOR }] = await Promise.all([
          import('../compose/console.ts'),
          import('../app/people/sign-in.ts'),
        ]);
        const origin = await originOf(config, pool);
        if (origin === null)
          throw refusal('NOT_FOUND', 'No node of this installation has had a console yet: start one without CONSOLE_LISTEN=off');
        return addressOfLink(origin, await signInOf(pool).newLink(OPERATOR));
      });
      printResult(options, { url }, () => url);
    },
  );
}
