import type { Command } from 'commander';
import { anyObject, listOf, members, text } from '../folder/answer-shape.ts';
import { serverAccessOf } from '../folder/credentials.ts';
import { checkedBody } from '../folder/remote.ts';
import { printResult } from './context.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';

interface SignedIn {
  readonly person: { readonly id: string; readonly name: string };
  readonly projects: readonly { readonly id: string; readonly role: string }[];
}

const SIGNED_IN = members({ person: members({ id: text, name: text }), projects: listOf(anyObject) });

/** `savepoint whoami`: who commands act as. */
export function whoamiCommand(): Command {
  return remoteCommand('whoami', 'say who commands act as on the server: a person with a role, or a secret key')
    .action(async (options: RemoteOptions) => {
      const { address, project, person } = serverAccessOf(options);
      const remote = remoteOf(options);
      if (person === undefined) {
        await remote.validate();
        const byKey = { address, project, person: null };
        return printResult(
          options,
          byKey,
          () => `A secret key of project ${project} on ${address}; \`savepoint login --console\` signs you in as yourself.`,
        );
      }
      const { person: of, projects } = checkedBody<SignedIn>(await remote.request('GET', '/api/session'), SIGNED_IN);
      const role = projects.find(({ id }) => id === project)?.role ?? null;
      const byPerson = { address, project, person: of.id, name: of.name, role };
      printResult(options, byPerson, () => `${of.name}, ${role ?? 'without a role'} in project ${project} on ${address}.`);
    })
    .addHelpText('after', '\nExamples:\n  savepoint whoami');
}
