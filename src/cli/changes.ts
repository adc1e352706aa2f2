import { type Command, Option } from 'commander';
import type { DocumentComparison } from '../contract/answers.ts';
import { listOf, members, optional, something, text, wholeNumber } from '../folder/answer-shape.ts';
import type { Answered } from '../folder/exchange.ts';
import { checkedBody, type Remote, type Target } from '../folder/remote.ts';
import { isObject, type Json, stringifyJson } from '../kernel/json.ts';
import { AT_OPTION } from './at-option.ts';
import { print } from './context.ts';
import { withLimit } from './limit-option.ts';
import { inCollection } from './remote/names.ts';
import { TARGETS } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { fieldText } from './show.ts';

/** What the commands share that list changes of something, or what differs in it between two moments. */

interface PastOptions extends RemoteOptions {
  readonly target: Target;
}

export interface HistoryOptions extends PastOptions {
  readonly at?: string;
  readonly before?: string;
  readonly limit: number;
}

export interface CompareOptions extends PastOptions {
  readonly from: string;
  readonly to?: string;
}

/** Adds the arguments of a command. */
type Arguments = (made: Command) => Command;

function pastSub(name: string, description: string, withArguments: Arguments): Command {
  return withArguments(revealing(remoteCommand(name, description))).addOption(
    new Option('--target <target>', 'the data or definitions to look at').choices(TARGETS).default('live'),
  );
}

export function historySub(description: string, withArguments: Arguments): Command {
  return withLimit(pastSub('history', description, withArguments), 'changes of a page', { to: 200, preset: 20 })
    .option(...AT_OPTION)
    .option('--before <revision>', 'those before this revision, which the page before names');
}

export function compareSub(description: string, withArguments: Arguments): Command {
  return pastSub('compare', description, withArguments)
    .requiredOption('--from <moment>', 'a revision, or a time with its zone; takes a key with history: r')
    .option('--to <moment>', 'as --from (default: now)');
}

/** A change as every list of them has it. */
interface Change {
  readonly revision: number;
  /** By which `undo` and `explain` print the commit; left out: it is the same. */
  readonly commit?: number;
  readonly at: string;
  readonly actor: { readonly kind: string } & { readonly [name: string]: Json };
  readonly cause: string;
  readonly fields?: DocumentComparison['fields'];
  readonly more?: number;
}

interface Page<C extends Change> {
  readonly changes: readonly C[];
  readonly before: number | null;
}

const PAGE = members({
  changes: listOf(members({ revision: wholeNumber, at: text, action: text, actor: members({}), cause: text, fields: optional(something) })),
  before: optional(wholeNumber),
});

/** What is asked beside the moments. `collection`: in which it is looked for. */
interface About {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly collection?: string;
}

function answerOf(options: PastOptions, pathFor: (remote: Remote) => string, { query = {}, collection }: About): Promise<Answered> {
  const remote = remoteOf(options);
  const { target } = options;
  const asked = remote.request('GET', pathFor(remote), { query, target });
  return collection === undefined ? asked : inCollection(remote, collection, target, asked);
}

/** Asks for a page of changes and prints it. `said`: what happened and what follows who did it; `besides`: lines below the fields. */
export async function printHistory<C extends Change>(
  { json, ...options }: HistoryOptions,
  pathFor: (remote: Remote) => string,
  said: (change: C) => readonly [what: string, more: string],
  { besides = () => [], ...asked }: About & { readonly besides?: (change: C) => readonly string[] } = {},
): Promise<void> {
  const { at, before, limit } = options;
  const answer = await answerOf(options, pathFor, { ...asked, query: { ...asked.query, at, before, limit } });
  const page = checkedBody<Page<C>>(answer, PAGE);
  if (json) return print(stringifyJson(answer.body ?? null));
  if (page.changes.length === 0)
    return print(page.before === null ? 'Nothing happened to it.' : `Nothing so far. More: --before ${page.before}`);
  const blocks = page.changes.map((change) => {
    const [what, more] = said(change);
    const head = [change.commit ?? change.revision, change.at, what, whoText(change.actor), `${change.cause}${more}`].join('  ');
    const fields = change.fields === undefined ? ['(redacted)'] : fieldLines(change.fields, change.more);
    return [visible(head), ...[...fields, ...besides(change)].map((line) => `    ${line}`)].join('\n');
  });
  print([...blocks, ...(page.before === null ? [] : [`More: --before ${page.before}`])].join('\n'));
}

interface Side {
  readonly revision: number;
  readonly time: string;
}

interface Comparison<S extends Side> extends Pick<DocumentComparison, 'fields' | 'more'> {
  readonly from: S;
  readonly to: S;
}

const COMPARISON = members({ from: members({ revision: wholeNumber }), to: members({ revision: wholeNumber }), fields: something });

/** Asks what differs and prints it. `missing`: what is said of a side where there was nothing. */
export async function printComparison<S extends Side>(
  { json, ...options }: CompareOptions,
  pathFor: (remote: Remote) => string,
  missing: (side: S) => string,
  asked: About = {},
): Promise<void> {
  const { from, to } = options;
  const answer = await answerOf(options, pathFor, { ...asked, query: { ...asked.query, from, to } });
  const found = checkedBody<Comparison<S>>(answer, COMPARISON);
  if (json) return print(stringifyJson(answer.body ?? null));
  const [one, other] = [found.from, found.to].map((side) => `${side.revision} (${side.time}${missing(side)})`);
  const lines = found.fields.length === 0 ? ['Nothing differs.'] : fieldLines(found.fields, found.more);
  print([`${one} to ${other}:`, ...lines].join('\n'));
}

function whoText({ label, person, keyId, kind, player, endpoint }: Change['actor']): string {
  return [label ?? person ?? keyId ?? kind, player, endpoint].filter((part) => typeof part === 'string').join(', ');
}

function fieldLines(fields: DocumentComparison['fields'], more = 0): readonly string[] {
  const lines = fields.flatMap((field) => (isObject(field) ? [fieldText(field)] : []));
  return more === 0 ? lines : [...lines, `… and ${more} more`];
}
