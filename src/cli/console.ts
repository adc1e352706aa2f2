import { Command } from 'commander';
import type { Installation } from '../compose/installation.ts';
import { refusal } from '../kernel/errors.ts';
import { type CommonOptions, command, printNote, printResult, withInstallation } from './context.ts';

/** `savepoint console`: the way into the console, for whoever has the machine. */
export function consoleCommand(): Command {
  return new Command('console').description('sign in to the console').addCommand(link());
}

/** What to do about a person who sits elsewhere. */
const FROM_ELSEWHERE = 'For people elsewhere set CONSOLE_URL (docs/console.md, "From other machines").';

/** Whether the name of the console is one that each machine takes for itself. */
function isOfThisMachine(origin: string): boolean {
  return new URL(origin).hostname.endsWith('.localhost');
}

function link(): Command {
  const about = 'make a link to sign in to the console, which is good once and for ten minutes';
  return command('link', about, 'savepoint console link', 'savepoint console link ada')
    .argument('[name]', 'who signs in (default: the first owner)')
    .action(async (name: string | undefined, options: CommonOptions) => {
      const url = await withInstallation(options, (installation) => linkFor(installation, name));
      printResult(options, { url }, () => url);
    });
}

/** The address with a new link for a person. Throws NOT_FOUND. */
export async function linkFor({ config, pool, log }: Installation, name: string | undefined): Promise<string> {
  const { addressOfLink, originOf, peopleOf, signInOf } = await import('../compose/console.ts');
  const origin = await originOf(config, pool);
  if (origin === null)
    throw refusal('NOT_FOUND', 'No node of this installation has had a console yet: start one without CONSOLE_LISTEN=off');
  if (config.consolePasswords === 'off')
    printNote('Note: people sign in at the issuer here. This link goes past it, and its use is logged as a warning.');
  const people = peopleOf(log);
  const signIn = signInOf(pool, people);
  if (name === undefined) return addressOfLink(origin, await signIn.ownerLink());
  const { personNamed } = await import('../domain/people/people.ts');
  const person = personNamed(await people.current(), name);
  if (person === undefined) throw refusal('NOT_FOUND', `There is no person ${name}; \`savepoint user list\` lists all`);
  if (isOfThisMachine(origin)) printNote(`Note: ${new URL(origin).host} leads to the console on this machine alone. ${FROM_ELSEWHERE}`);
  return addressOfLink(origin, await signIn.newLink(person.id));
}
