import { type Command, InvalidArgumentError } from 'commander';
import type { DefinitionsComparison } from '../contract/answers.ts';
import { wholeNumber as aNumber, anyObject, listOf, members } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { printResult } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf } from './remote/requests.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { shownChanges, shownPublishes } from './show.ts';

interface PublishesOptions extends RemoteOptions {
  readonly limit: number;
  readonly before?: number;
}

/** `savepoint publishes`: who published what, and when; what differs between two of them, or one and what is staged. */
export function publishesCommand(): Command {
  const made = remoteCommand('publishes', 'list publishes, promotions and rollbacks, newest first');
  return withLimit(made, 'how many', { to: 200, preset: 20 })
    .option('--before <revision>', 'those before this revision', wholeNumber)
    .action(async (options: PublishesOptions) => {
      const { limit, before } = options;
      const page = await remoteOf(options).publishes({ limit, ...(before === undefined ? {} : { before }) });
      printResult(options, page, () => {
        if (page.publishes.length === 0) return 'Nothing was published yet.';
        const more = page.before === null ? '' : `\nMore: \`savepoint publishes --before ${page.before}\``;
        return `${shownPublishes(page.publishes.map((each) => ({ ...each })))}${more}`;
      });
    })
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint publishes\n  savepoint publishes compare 41 52\n  savepoint publishes compare 41 next\n  savepoint publishes --limit 100 --json\n  savepoint publishes --before 41',
    )
    .addCommand(compare());
}

const COMPARED = members({ from: members({ revision: aNumber }), to: members({ revision: aNumber }), changes: listOf(anyObject) });

function compare(): Command {
  return remoteCommand(
    'compare',
    'show what differs between live after a publish and live after another, live now, or what is staged; takes a key with history: r',
  )
    .argument('<revision>', 'a revision that `savepoint publishes` lists: live as it was right after that')
    .argument('[other]', 'another one, or `next`: what is staged (default: live now)')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint publishes compare 41 52\n  savepoint publishes compare 41\n  savepoint publishes compare 41 next',
    )
    .action(async (from: string, to: string | undefined, options: RemoteOptions) => {
      const remote = remoteOf(options);
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'definitions', 'compare'), {
        query: to === 'next' ? { from, toTarget: to } : { from, to },
        again: 'read',
      });
      const found = checkedBody<DefinitionsComparison>(answer, COMPARED);
      printResult(options, found, () => {
        const what = found.changes.length === 0 ? 'Nothing differs.' : shownChanges(found.changes);
        const until = to === 'next' ? `what is staged at ${found.to.revision}` : String(found.to.revision);
        return `${found.from.revision} (${found.from.time}) to ${until} (${found.to.time}):\n${what}`;
      });
    });
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
