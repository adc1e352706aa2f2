import { Command } from 'commander';
import type { SignIn } from '../app/people/sign-in.ts';
import type { Installation } from '../compose/installation.ts';
import { refusal } from '../kernel/errors.ts';
import { type CommonOptions, command, printNote, printResult, withInstallation } from './context.ts';
import { REASON_HELP, TICKET_HELP } from './remote/message.ts';

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

interface LinkOptions extends CommonOptions {
  readonly reason?: string;
  readonly ticket?: string;
}

function link(): Command {
  const about = 'make a link to sign in to the console, which is good once and for ten minutes';
  return command('link', about, 'savepoint console link', 'savepoint console link ada')
    .argument('[name]', 'who signs in (default: the first owner)')
    .option('--reason <text>', REASON_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (name: string | undefined, { reason, ticket, ...options }: LinkOptions) => {
      const why = { reason, ticket };
      const url = await withInstallation(options, (installation) =>
        addressed(installation, name, (signIn, person) => (person === null ? signIn.ownerLink(why) : signIn.machineLink(person, why))),
      );
      printResult(options, { url }, () => url);
    });
}

/** The address with a new link for somebody whom the same command lets in, or in anew: the log says that. Throws NOT_FOUND. */
export function linkFor(installation: Installation, name: string): Promise<string> {
  return addressed(installation, name, (signIn, person) => signIn.newLink(person ?? ''));
}

/** `make`: makes a link for a person; `null`: for the first owner. */
async function addressed(
  { config, pool, log }: Installation,
  name: string | undefined,
  make: (signIn: SignIn, person: string | null) => Promise<string>,
): Promise<string> {
  const { addressOfLink, originOf, peopleOf, signInOf } = await import('../compose/console.ts');
  const origin = await originOf(config, pool);
  if (origin === null)
    throw refusal('NOT_FOUND', 'No node of this installation has had a console yet: start one without CONSOLE_LISTEN=off');
  if (config.consolePasswords === 'off')
    printNote('Note: people sign in at the issuer here. This link goes past it, and its use is logged as a warning.');
  const people = peopleOf(log);
  const signIn = signInOf(pool, people);
  if (name === undefined) return addressOfLink(origin, await make(signIn, null));
  const { personOf } = await import('./person.ts');
  const person = await personOf(people, name);
  if (isOfThisMachine(origin)) printNote(`Note: ${new URL(origin).host} leads to the console on this machine alone. ${FROM_ELSEWHERE}`);
  return addressOfLink(origin, await make(signIn, person.id));
}
