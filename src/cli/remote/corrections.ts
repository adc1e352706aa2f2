import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Corrected } from '../../contract/answers.ts';
import { POLICIES } from '../../contract/policies.ts';
import { OBSTACLES } from '../../contract/routes/corrections.ts';
import { anyObject, listOf, members, wholeNumber } from '../../folder/answer-shape.ts';
import { RemoteRefusal } from '../../folder/refusal.ts';
import { checkedBody, type Remote, type Target } from '../../folder/remote.ts';
import { counted } from '../../kernel/counted.ts';
import { isNumber, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { printNote, printResult, table } from '../context.ts';
import { isConfirmed } from '../promote.ts';
import { type RemoteOptions, remoteOf } from '../remote.ts';
import { TICKET_HELP } from './message.ts';
import { objectsIn, pathOf } from './requests.ts';
import { shortJson, visible } from './words.ts';

/** What the commands that put something right share: why, a look, the question, and what was done. */

export interface CorrectionOptions extends RemoteOptions {
  /** Left out where a correction concerns nobody else. */
  readonly policy?: string;
  /** Left out: live. */
  readonly target?: Target;
  readonly reason: string;
  readonly ticket?: string;
  readonly despite?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

type Answer = Corrected & { readonly revision: number | null };

const LINES = listOf(anyObject);
const CORRECTED = members({ documents: LINES, slots: LINES, coins: LINES, left: LINES, shortfalls: LINES, more: wholeNumber });

/** A command that puts something right. `preset`: the policy unless another is named. */
export function withCorrection(made: Command, preset: (typeof POLICIES)[number]): Command {
  return withReason(made)
    .addOption(policyOption(preset))
    .addOption(
      new Option(
        '--despite <obstacle...>',
        '`schema`: store what the present schema refuses; `unique`: leave values that others took',
      ).choices(OBSTACLES),
    )
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask');
}

/** `--policy`. `preset`: unless another is named. */
export function policyOption(preset: (typeof POLICIES)[number]): Option {
  return new Option('--policy <policy>', '`reverse`: who got something gives back what is left of it; `give`: nobody pays')
    .choices(POLICIES)
    .default(preset);
}

/** A command that says why. */
export function withReason(made: Command): Command {
  return made
    .requiredOption('--reason <text>', 'why, in a line of at most 256 characters: log and ledger keep it')
    .option('--ticket <id>', TICKET_HELP);
}

/** Shows what would be done, asks, and does it. */
export async function correct(
  options: CorrectionOptions,
  path: readonly string[],
  what: JsonObject,
  words: { readonly question: string; readonly undone: (revision: number) => string },
): Promise<void> {
  const remote = remoteOf(options);
  const { policy, reason, ticket, despite, target } = options;
  const chosen = { ...(policy === undefined ? {} : { policy }), ...(despite === undefined ? {} : { despite }) };
  const body = { ...what, ...chosen, ...whyOf({ reason, ticket }) };
  const look = await explainBlocked(sent(remote, path, { ...body, dryRun: true }, target));
  const isNothing = look.documents.length === 0 && look.slots.length === 0;
  if (options.dryRun || isNothing) {
    const end = isNothing ? 'There is nothing to change.' : 'Nothing was changed: this was a look.';
    return printResult(options, look, () => `${shownCorrection(look)}\n${end}`);
  }
  if (!options.json) printNote(shownCorrection(look));
  if (!(await isConfirmed(options, words.question))) {
    process.exitCode = 1;
    return printResult(options, { ...look, ok: false }, () => 'Nothing was changed.');
  }
  const done = await explainBlocked(sent(remote, path, body, target));
  printResult(options, done, () => doneText(done, words.undone));
}

function doneText({ revision, shortfalls }: Answer, undone: (revision: number) => string): string {
  if (revision === null) return 'There was nothing left to change.';
  const short = shortfalls.length === 0 ? '' : ` ${counted(shortfalls.length, 'amount')} fell short.`;
  return `${undone(revision)}${short} \`savepoint undo ${revision} --reason …\` takes it back.`;
}

/** Why, as a body says it. */
export function whyOf({ reason, ticket }: { readonly reason: string; readonly ticket?: string | undefined }): JsonObject {
  return { reason, ...(ticket === undefined ? {} : { ticket }) };
}

/** Asks for a correction, or for a look at it. */
export async function sent(remote: Remote, path: readonly string[], body: JsonObject, target: Target = 'live'): Promise<Answer> {
  const answer = await remote.request('POST', pathOf(remote, 'manage', ...path), { body, again: 'keyed', target });
  return checkedBody<Answer>(answer, CORRECTED);
}

/** Prints everything that stands in the way before the refusal itself. */
async function explainBlocked<A>(request: Promise<A>): Promise<A> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RemoteRefusal) {
      const blocked = objectsIn(error.extra.error?.['blocked']);
      if (blocked.length > 0) printNote(blocked.map((each) => `  ${addressOf(each)}: ${textOf(each['message'])}`).join('\n'));
    }
    throw error;
  }
}

/** Numbers of a list that is shown whole by `--json`. */
const SHOWN = 40;

export function shownCorrection({ documents, slots, coins, left, shortfalls, more }: Corrected): string {
  const changes = documents.flatMap((each) =>
    each.changes.map(({ path, from, to }) => `  ${addressOf(each)} ${visible(path)}: ${shownValue(from)} → ${shownValue(to)}`),
  );
  return [
    ...section(
      '',
      changes,
      documents.reduce((sum, { moreLines = 0 }) => sum + moreLines, 0),
    ),
    ...section(
      '',
      slots.map(
        ({ collection, player, recordId, is }) => `  ${visible(`${collection}/${player}`)} save record ${visible(recordId)}: ${is}`,
      ),
    ),
    ...(coins.length === 0 ? [] : [coinTable(coins)]),
    ...section(
      'Stays, as it was changed since:',
      left.map((each) => `  ${addressOf(each)} ${visible(each.path)}: ${shownValue(each.now ?? each.made)}`),
    ),
    ...section(
      'Falls short:',
      shortfalls.map((each) => `  ${addressOf(each)} ${visible(each.field)}: ${shownValue(each.short)} of ${shownValue(each.asked)}`),
    ),
    ...(more === 0 ? [] : [`${more} lines more.`]),
  ].join('\n');
}

/** `more`: lines that the answer leaves out. */
function section(title: string, lines: readonly string[], more = 0): readonly string[] {
  if (lines.length === 0 && more === 0) return [];
  const left = Math.max(lines.length - SHOWN, 0) + more;
  const rest = left > 0 ? [`  … ${left} more: --json${more > 0 ? ' with a larger --lines' : ''} shows them`] : [];
  return [...(title === '' ? [] : [title]), ...lines.slice(0, SHOWN), ...rest];
}

function coinTable(coins: Corrected['coins']): string {
  const rows = coins
    .slice(0, SHOWN)
    .map(({ player, collection, field, before, after, delta }) => [
      visible(player),
      visible(`${collection}.${field}`),
      shownValue(before),
      shownValue(after),
      isNumber(delta) && toDouble(delta) > 0 ? `+${shownValue(delta)}` : shownValue(delta),
    ]);
  return table(['PLAYER', 'FIELD', 'BEFORE', 'AFTER', 'CHANGE'], rows);
}

function addressOf({ collection, key, player }: { readonly [name: string]: unknown }): string {
  return visible(`${textOf(collection)}/${textOf(key ?? player)}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A value in a line; `nothing`: there is none. */
export function shownValue(value: Json | undefined): string {
  return value === undefined ? 'nothing' : shortJson(value, 60);
}

/** A revision, as `--json` of commands and `x-ns-position` name it. */
export function revisionOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a revision: a whole number, as `savepoint publishes`, ledgers and answers name it.');
}
