import { Command, Option } from 'commander';
import type { People } from '../app/people/people.ts';
import type { PersonChange, PersonChanges } from '../app/people/person-changes.ts';
import type { SignIn } from '../app/people/sign-in.ts';
import type { Installation } from '../compose/installation.ts';
import { ROLES } from '../contract/events/people.ts';
import type { Actor } from '../domain/events.ts';
import { addPerson, changeRole, EVERY_PROJECT, explained, type PersonState, personNamed, removePerson } from '../domain/people/people.ts';
import { counted } from '../kernel/counted.ts';
import { linkFor } from './console.ts';
import { type CommonOptions, command, needProject, printResult, table, withInstallation } from './context.ts';
import { withLimit } from './limit-option.ts';
import { personOf } from './person.ts';
import { REASON_HELP, TICKET_HELP } from './remote/message.ts';
import { whyText } from './remote/words.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint user`: the people of the installation and their roles. */
export function userCommand(): Command {
  return new Command('user')
    .description('people who sign in to the console: add and list them, give roles, remove them, let them in anew, and say who did')
    .addCommand(add())
    .addCommand(list())
    .addCommand(history())
    .addCommand(role())
    .addCommand(sessions())
    .addCommand(signOut())
    .addCommand(remove())
    .addCommand(forget())
    .addCommand(reset());
}

const OPERATOR: Actor = { kind: 'operator' };

interface WhyOptions extends CommonOptions {
  readonly reason?: string;
  readonly ticket?: string;
}

interface RoleOptions extends WhyOptions {
  readonly project?: string;
}

interface AddOptions extends RoleOptions {
  readonly role: string;
  readonly email?: string;
}

function add(): Command {
  return command(
    'add',
    'let a person in, and make a link that is good once and for ten minutes',
    'savepoint user add ada --role manager --project p1',
  )
    .argument('<name>', 'by which the person signs in and is shown')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
    .option('--project <id>', 'where (default: in every project)')
    .option('--email <address>', 'where the person is reached')
    .option('--reason <text>', REASON_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (name: string, { role: given, project, email, reason, ticket, ...options }: AddOptions) => {
      const added = await withPeople(options, async (installation, people) => {
        await needProject(installation, project);
        const { newPersonId } = await import('../app/people/people.ts');
        const person = { person: newPersonId(), name, email, project: project ?? EVERY_PROJECT, role: given };
        await people.change('person.add', OPERATOR, (state) => explained(person.person, addPerson(state, person), { reason, ticket }));
        return { person: person.person, name, url: await linkFor(installation, name) };
      });
      printResult(options, added, () => `${name} is let in. This link signs in once, within ten minutes:\n${added.url}`);
    });
}

function list(): Command {
  return command('list', 'list the people, their roles, and when each signed in last', 'savepoint user list').action(
    async (options: CommonOptions) => {
      const people = await withPeople(options, async (_, all, signIn) => {
        const [last, since] = [await signIn.lastSignIns(), await signIn.notedSince()];
        return [...(await all.current()).people.values()].map((person) => shown(person, last.get(person.id), since));
      });
      printResult(options, people, () => {
        if (people.length === 0) return 'Nobody yet: `savepoint console link` makes an owner and a link.';
        const rolesText = (roles: Readonly<Record<string, string>>) =>
          Object.entries(roles)
            .map(([project, of]) => `${of} of ${project}`)
            .join(', ');
        return table(
          ['NAME', 'ID', 'ROLES', 'ADDED', 'SIGNED IN LAST'],
          people.map(({ name, person, roles, addedAt, signedInAt, neverSignedIn }) => [
            name,
            person,
            rolesText(roles),
            addedAt,
            signedInAt ?? (neverSignedIn ? 'never yet' : 'not known'),
          ]),
        );
      });
    },
  );
}

interface HistoryOptions extends CommonOptions {
  readonly person?: string;
  readonly limit: number;
}

function history(): Command {
  const made = command(
    'history',
    'list who let whom in, gave and took which role, signed whom out, made a link for whom, and let out, with why, newest first',
    'savepoint user history',
    'savepoint user history --person ada --json',
  );
  return withLimit(made, 'how many', { to: 1000, preset: 50 })
    .option('--person <who>', 'of this person alone, and by them: a name or an id')
    .action(async ({ person, limit, ...options }: HistoryOptions) => {
      const changes = await withPeople(options, async (_, people) => {
        const of = person === undefined ? null : (personNamed(await people.latest(), person)?.id ?? person);
        await people.latest();
        const found: PersonChange[] = [];
        let before: number | null = null;
        do {
          const page: PersonChanges = await people.history({ before, person: of, sees: () => true });
          found.push(...page.changes);
          before = page.before;
        } while (before !== null && found.length < limit);
        return found.slice(0, limit);
      });
      const listed = changes.map(({ at, ...rest }) => ({ ...rest, at: new Date(at).toISOString() }));
      const isSaid = listed.some((change) => whyText(change) !== '');
      printResult(options, listed, () =>
        listed.length === 0
          ? 'Nothing was found.'
          : table(
              ['WHEN', 'BY', 'WHAT', 'WHOM', 'ROLE', 'OF', ...(isSaid ? ['WHY'] : [])],
              listed.map((change) => [
                change.at,
                doerOf(change),
                change.what.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
                change.name ?? change.person,
                change.role ?? '',
                change.project ?? change.issuer ?? '',
                ...(isSaid ? [whyText(change)] : []),
              ]),
            ),
      );
    });
}

function doerOf({ by }: Pick<PersonChange, 'by'>): string {
  return by.kind === 'person' ? (by.name ?? by.person ?? 'somebody') : 'the operator';
}

/** `since`: from when on it is kept who signed in. */
function shown({ id, name, email, roles, addedAt }: PersonState, signedInAt: number | undefined, since: number) {
  return {
    person: id,
    name,
    ...(email === null ? {} : { email }),
    roles: Object.fromEntries(roles),
    addedAt: new Date(addedAt).toISOString(),
    signedInAt: signedInAt === undefined ? null : new Date(signedInAt).toISOString(),
    neverSignedIn: signedInAt === undefined && addedAt > since,
  };
}

function role(): Command {
  return command(
    'role',
    'give a person another role in a project, or none',
    'savepoint user role ada auditor',
    'savepoint user role ada none --project p1',
  )
    .argument('<name>')
    .argument('<role>', `${ROLES.join(', ')} or none`)
    .option('--project <id>', 'where (default: in every project)')
    .option('--reason <text>', REASON_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (name: string, given: string, { project, reason, ticket, ...options }: RoleOptions) => {
      await withPeople(options, async (installation, people) => {
        await needProject(installation, project);
        const { id } = await personOf(people, name);
        await people.change('person.role', OPERATOR, (state) =>
          explained(id, changeRole(state, id, project ?? EVERY_PROJECT, given), { reason, ticket }),
        );
      });
      const where = project === undefined ? 'every project' : `project ${project}`;
      printResult(options, { name, role: given, project: project ?? null }, () =>
        given === 'none' ? `${name} has no role in ${where} any more.` : `${name} is ${given} of ${where}.`,
      );
    });
}

function remove(): Command {
  return command('remove', 'let a person in no more, and end every session; what the person did stays', 'savepoint user remove ada')
    .argument('<name>')
    .option('--reason <text>', REASON_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (name: string, { reason, ticket, ...options }: WhyOptions) => {
      await withPeople(options, async (_, people, signIn) => {
        const { id } = await personOf(people, name);
        await people.change('person.remove', OPERATOR, (state) => explained(id, removePerson(state, id), { reason, ticket }));
        await signIn.lockOut(id);
      });
      printResult(options, { name, removed: true }, () => `${name} is removed, and signed out everywhere.`);
    });
}

function forget(): Command {
  const about = 'remove a person and have the log forget name, e-mail and account; what the person did stays, by an id';
  return command('forget', about, 'savepoint user forget ada --yes --ticket T-77', 'savepoint user forget per_0191b7a000000000 --yes')
    .argument('<who>', 'a name, or the id of somebody who was removed before')
    .option('--yes', 'do it: it cannot be taken back')
    .option('--reason <text>', `${REASON_HELP}. It stays, so name nobody in it`)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (who: string, { yes, reason, ticket, ...options }: WhyOptions & { readonly yes?: boolean }) => {
      if (!yes) throw new WrongUsage('This cannot be taken back; --yes does it');
      const forgotten = await withPeople(options, async (_, people, signIn) => {
        const person = personNamed(await people.latest(), who)?.id ?? who;
        const { isGone } = await people.forget(OPERATOR, person, { reason, ticket }, () => null);
        await signIn.lockOut(person);
        return { person, isGone };
      });
      printResult(options, forgotten, () => forgottenText(forgotten));
    });
}

function forgottenText({ person, isGone }: { readonly person: string; readonly isGone: boolean }): string {
  if (isGone) return `${person} is forgotten: the log holds no name any more. Copies and backups of before still do.`;
  return `${person} is removed and no longer shown by name, but this engine of the log cannot change an event: what it holds of the person stays there.`;
}

function reset(): Command {
  return command(
    'reset',
    'forget the password and accounts of an issuer, end every session, and make a link to sign in with',
    'savepoint user reset ada',
  )
    .argument('<name>')
    .option('--reason <text>', REASON_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (name: string, { reason, ticket, ...options }: WhyOptions) => {
      const url = await withPeople(options, async (installation, people, signIn) => {
        const { id } = await personOf(people, name);
        await signIn.reset(OPERATOR, id, { reason, ticket });
        return linkFor(installation, name);
      });
      printResult(options, { name, url }, () => `${name} is signed out everywhere. This link signs in once, within ten minutes:\n${url}`);
    });
}

function sessions(): Command {
  return command('sessions', 'list where a person is signed in: with what, from where, last used', 'savepoint user sessions ada')
    .argument('<name>')
    .action(async (name: string, options: CommonOptions) => {
      const open = await withPeople(options, async (_, people, signIn) => {
        const rows = await signIn.sessionsOf((await personOf(people, name)).id);
        return rows.map(({ id, kind, agent, address, createdAt, usedAt, until }) => ({
          id,
          kind,
          agent,
          address,
          since: instantOf(createdAt),
          usedAt: instantOf(usedAt),
          until: instantOf(until),
        }));
      });
      printResult(options, open, () =>
        open.length === 0
          ? `${name} is not signed in.`
          : table(
              ['SESSION', 'WITH', 'FROM', 'SINCE', 'LAST USED'],
              open.map(({ id, kind, agent, address, since, usedAt }) => [
                ...[id, kind === 'command' ? `command line on ${agent}` : agent, address ?? 'this machine', since, usedAt],
              ]),
            ),
      );
    });
}

function instantOf(at: number): string {
  return new Date(at).toISOString();
}

function signOut(): Command {
  const about = 'end one session of a person, or all; the person stays, and may sign in again';
  return command('sign-out', about, 'savepoint user sign-out ada --reason "a lost laptop"')
    .argument('<name>')
    .argument('[session]', 'as `savepoint user sessions` names it (default: all of them)')
    .option('--reason <text>', REASON_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (name: string, session: string | undefined, { reason, ticket, ...options }: WhyOptions) => {
      const ended = await withPeople(options, async (_, people, signIn) => {
        const { id } = await personOf(people, name);
        return signIn.signOut(OPERATOR, id, session ?? null, { reason, ticket });
      });
      printResult(options, { name, ended }, () =>
        ended === 0 ? `${name} has no such session.` : `${name} is signed out: ${counted(ended, 'session')} ended.`,
      );
    });
}

function withPeople<T>(
  options: CommonOptions,
  work: (installation: Installation, people: People, signIn: SignIn) => Promise<T>,
): Promise<T> {
  return withInstallation(options, async (installation) => {
    const { peopleOf, signInOf } = await import('../compose/console.ts');
    const people = peopleOf(installation.log);
    return work(installation, people, signInOf(installation.pool, people));
  });
}
