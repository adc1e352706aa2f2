import { type Command, Option } from 'commander';
import type { DocumentComparison, DocumentHistory } from '../contract/answers.ts';
import { listOf, members, optional, something, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody, type Target } from '../folder/remote.ts';
import { isObject, stringifyJson } from '../kernel/json.ts';
import { AT_OPTION } from './at-option.ts';
import { print } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { fieldText } from './show.ts';

interface PastOptions extends RemoteOptions {
  readonly target: Target;
}

function pastSub(name: string, description: string): Command {
  return remoteCommand(name, description)
    .argument('<collection>')
    .argument('<key>', "the document's key; a player's is the player's id, a save record's PLAYER_RECORD")
    .addOption(new Option('--target <target>', 'the data to look at').choices(TARGETS).default('live'));
}

const HISTORY = members({
  changes: listOf(members({ revision: wholeNumber, at: text, action: text, actor: members({}), cause: text, fields: optional(something) })),
  before: optional(wholeNumber),
});

interface HistoryOptions extends PastOptions {
  readonly at?: string;
  readonly before?: string;
  readonly limit: number;
}

/** `savepoint doc history`: what happened to a document. */
export function docHistory(): Command {
  return withLimit(pastSub('history', 'list the changes of a document, newest first: when, who, by what, and what'), 'changes of a page', {
    to: 200,
    preset: 20,
  })
    .option(...AT_OPTION)
    .option('--before <revision>', 'those before this revision, which the page before names')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint doc history players 42\n  savepoint doc history players 42 --at 2026-03-01T12:00Z --json',
    )
    .action(async (collection: string, key: string, options: HistoryOptions) => {
      const remote = remoteOf(options);
      const { target, at, before, limit } = options;
      const path = pathOf(remote, 'storage', collection, key, 'history');
      const answer = await remote.request('GET', path, { query: { at, before, limit }, target });
      const history = checkedBody<DocumentHistory>(answer, HISTORY);
      print(options.json ? stringifyJson(answer.body ?? null) : historyText(history));
    });
}

const COMPARISON = members({ from: members({ revision: wholeNumber }), to: members({ revision: wholeNumber }), fields: something });

/** `savepoint doc compare`: what differs between two moments. */
export function docCompare(): Command {
  return pastSub('compare', 'show what differs in a document between two moments')
    .requiredOption('--from <moment>', 'a revision, or a time with its zone; takes a key with history: r')
    .option('--to <moment>', 'as --from (default: now)')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint doc compare players 42 --from 2026-03-01T12:00Z\n  savepoint doc compare players 42 --from 1200 --to 1300',
    )
    .action(async (collection: string, key: string, options: PastOptions & { readonly from: string; readonly to?: string }) => {
      const remote = remoteOf(options);
      const { target, from, to } = options;
      const path = pathOf(remote, 'storage', collection, key, 'compare');
      const answer = await remote.request('GET', path, { query: { from, to }, target });
      const found = checkedBody<DocumentComparison>(answer, COMPARISON);
      print(options.json ? stringifyJson(answer.body ?? null) : comparisonText(found));
    });
}

function historyText({ changes, before }: DocumentHistory): string {
  if (changes.length === 0) return 'Nothing happened to it.';
  const blocks = changes.map(({ revision, at, action, version, actor, cause, publish, fields, more, ledger }) => {
    const { kind, label, keyId, player, endpoint } = actor;
    const who = [label ?? keyId ?? kind, player, endpoint].filter((part) => typeof part === 'string').join(', ');
    const head = `${revision}  ${at}  ${action}, version ${version}  ${who}  ${cause}${publish === null ? '' : `, publish ${publish}`}`;
    const lines = fields === undefined ? ['(redacted)'] : fieldLines(fields, more);
    const money = ledger.map(({ field, delta, source, reason }) =>
      `ledger: ${field} ${stringifyJson(delta)} ${source} ${reason ?? ''}`.trimEnd(),
    );
    return [visible(head), ...[...lines, ...money].map((line) => `    ${line}`)].join('\n');
  });
  return [...blocks, ...(before === null ? [] : [`More: --before ${before}`])].join('\n');
}

function comparisonText({ from, to, fields, more }: DocumentComparison): string {
  const [one, other] = [from, to].map(({ revision, time, version }) => `${revision} (${time}${version === null ? ', no document' : ''})`);
  const lines = fields.length === 0 ? ['Nothing differs.'] : fieldLines(fields, more);
  return [`${one} to ${other}:`, ...lines].join('\n');
}

function fieldLines(fields: DocumentComparison['fields'], more = 0): readonly string[] {
  const lines = fields.flatMap((field) => (isObject(field) ? [fieldText(field)] : []));
  return more === 0 ? lines : [...lines, `… and ${more} more`];
}
