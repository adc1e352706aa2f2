import { Argument, Command } from 'commander';
import type { DefinitionComparison, DefinitionHistory } from '../contract/answers.ts';
import { DEFINITION_KINDS } from '../contract/events/project.ts';
import type { DefinitionKind } from '../domain/events.ts';
import { SINGLE_ID } from '../domain/events.ts';
import { isListed } from '../domain/kinds.ts';
import type { Remote } from '../folder/remote.ts';
import { type CompareOptions, compareSub, type HistoryOptions, historySub, printComparison, printHistory } from './changes.ts';
import { pathOf } from './remote/requests.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint definition`: what happened to a definition. */
export function definitionCommand(): Command {
  return new Command('definition')
    .description('see what definitions were, and what changed them')
    .addCommand(history())
    .addCommand(compare());
}

const ofDefinition = (made: Command) =>
  made
    .addArgument(new Argument('<kind>', 'of the definition').choices(DEFINITION_KINDS))
    .argument('[id]', 'its id, slug or name; of game values, rules and tests there is one');

function history(): Command {
  return historySub(
    'list what changed a definition, newest first: publishes, promotions and rollbacks; with --target next what was staged',
    ofDefinition,
  )
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint definition history endpoint buy\n  savepoint definition history game-values --target next\n  savepoint definition history rate-limit-rules --at 2026-03-01T12:00Z',
    )
    .action((kind: DefinitionKind, id: string | undefined, options: HistoryOptions) =>
      printHistory(options, pathFor(kind, id, 'history'), saidOf),
    );
}

function compare(): Command {
  return compareSub('show what differs in a definition between two moments', ofDefinition)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint definition compare collection players --from 2026-03-01T12:00Z\n  savepoint definition compare game-values --from 1200 --to 1300',
    )
    .action((kind: DefinitionKind, id: string | undefined, options: CompareOptions) =>
      printComparison(options, pathFor(kind, id, 'compare'), noneThere),
    );
}

function pathFor(kind: DefinitionKind, id: string | undefined, last: 'history' | 'compare'): (remote: Remote) => string {
  if (id === undefined && isListed(kind)) throw new WrongUsage(`Say which ${kind}: its id, ${kind === 'endpoint' ? 'slug' : 'name'}`);
  return (remote) => pathOf(remote, 'manage', 'definitions', kind, id ?? SINGLE_ID, last);
}

const WORDS = { add: 'new', change: 'changed', delete: 'removed', none: 'the same' } as const;

/** How a change of a definition or game value is said. */
export function saidOf({ action, change, restored, message, ticket }: DefinitionHistory['changes'][number]): readonly [string, string] {
  const what = [action, ...(restored === undefined ? [] : [`to ${restored}`])].join(' ');
  const said = [...(message === undefined ? [] : [`"${message}"`]), ...(ticket === undefined ? [] : [ticket])];
  return [`${what}, ${WORDS[change]}`, said.map((each) => `, ${each}`).join('')];
}

export function noneThere({ exists }: DefinitionComparison['from']): string {
  return exists ? '' : ', none';
}
