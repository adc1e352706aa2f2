import { Command, Option } from 'commander';
import type { Approval, ApprovalRead, ApprovalShown, Approvals, Difference, RolledBack } from '../contract/answers.ts';
import { RELEASE_ACTIONS } from '../contract/events/release.ts';
import { anyObject, flag, listOf, members, text } from '../folder/answer-shape.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import { checkedBody, type Remote } from '../folder/remote.ts';
import type { JsonObject } from '../kernel/json.ts';
import { print, printNote, printResult, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { TICKET_HELP } from './remote/message.ts';
import { publishRevision } from './remote/publish-revision.ts';
import { pathOf } from './remote/requests.ts';
import { whoText, whyText } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { shownChanges } from './show.ts';

/** `savepoint approve`: a second person before anything goes live. */
export function approveCommand(): Command {
  return new Command('approve')
    .description('agree to what somebody else staged, where the project asks for a second person; ask for it, decline, see what waits')
    .addCommand(give(), { isDefault: true })
    .addCommand(ask())
    .addCommand(list())
    .addCommand(show())
    .addCommand(decline())
    .addCommand(comment())
    .addCommand(withdraw());
}

const APPROVAL = members({ id: text, action: text, phase: text, asked: anyObject });
const SHOWN = members({ approval: APPROVAL });
const COMMENT_HELP = 'what to say with it, in a line of at most 500 characters';

interface SayingOptions extends RemoteOptions {
  readonly message?: string;
  readonly ticket?: string;
}

function give(): Command {
  return deciding('give', 'agree to exactly what was asked about; `give` may be left out', 'approve', ' -m "fine"');
}

function decline(): Command {
  return deciding('decline', 'do not agree, or no longer', 'decline', ' -m "the axe is too cheap"');
}

function deciding(name: string, description: string, path: string, example: string): Command {
  return approvalSub(name, description, example)
    .option('-m, --message <text>', COMMENT_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (approval: string, options: SayingOptions) => {
      const done = await sent(remoteOf(options), [approval, path], saying(options));
      printResult(options, done.approval, () => approvalText(done.approval));
    });
}

function saying({ message, ticket }: SayingOptions): JsonObject {
  return { ...(message === undefined ? {} : { comment: message }), ...(ticket === undefined ? {} : { ticket }) };
}

interface AskOptions extends SayingOptions {
  readonly action: Approval['action'];
  readonly to?: number;
}

function ask(): Command {
  return remoteCommand('ask', 'ask a second person to agree to what is staged, or to a rollback')
    .addOption(new Option('--action <what>', 'what is to go live').choices(RELEASE_ACTIONS).default('promote'))
    .option('--to <revision>', 'of a rollback: as `savepoint rollback` takes it', publishRevision)
    .option('-m, --message <text>', COMMENT_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint approve ask -m "summer prices" --ticket T-77\n  savepoint approve ask --action rollback --to 41',
    )
    .action(async ({ action, to, ...options }: AskOptions) => {
      const asked = await sent(remoteOf(options), [], { action, ...(to === undefined ? {} : { to }), ...saying(options) });
      printResult(
        options,
        asked.approval,
        () => `${approvalText(asked.approval)}\nAnother person approves it: \`savepoint approve ${asked.approval.id}\``,
      );
    });
}

interface ListOptions extends RemoteOptions {
  readonly limit: number;
}

function list(): Command {
  return withLimit(remoteCommand('list', 'show what waits for a second person, and what became of the rest'), 'how many', {
    to: 200,
    preset: 20,
  })
    .addHelpText('after', '\nExample:\n  savepoint approve list')
    .action(async (options: ListOptions) => {
      const remote = remoteOf(options);
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'approvals'), { query: { limit: options.limit }, again: 'read' });
      const found = checkedBody<Approvals>(answer, members({ required: flag, open: listOf(APPROVAL), approvals: listOf(APPROVAL) }));
      printResult(options, found, () => {
        const rule = found.required ? [] : ['This project asks for no second person: its setting is `approvals`.'];
        return [...rule, ...(found.approvals.length === 0 ? ['Nothing was asked for.'] : [approvalTable(found.approvals)])].join('\n');
      });
    });
}

function approvalTable(approvals: readonly Approval[]): string {
  const rows = approvals.map((each) => [each.id, phaseText(each), actionText(each), whoText(each.asked), each.asked.at]);
  return table(['APPROVAL', 'IS', 'OF', 'ASKED BY', 'AT'], rows);
}

function show(): Command {
  return approvalSub('show', 'show what was asked about, what would change, by whom it was staged, and what was said').action(
    async (approval: string, options: RemoteOptions) => {
      const remote = remoteOf(options);
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'approvals', approval), { again: 'read' });
      const found = checkedBody<ApprovalRead>(answer, members({ approval: APPROVAL, comments: listOf(anyObject) }));
      const changes = isOpen(found.approval) ? await changesOf(remote, found.approval) : [];
      if (options.json) return print(JSON.stringify({ ...found, changes }));
      const said = found.comments.map((each) => `  ${each.at} ${whoText(each)}: ${whyText({ ...each, reason: each.text })}`);
      const asked = changes.map(({ stagedBy, ...change }) => {
        const stagers = stagedBy === undefined ? '' : `\n    staged by ${stagedBy.map(whoText).join(', ')}`;
        return `${shownChanges([change])}${stagers}`;
      });
      print([approvalText(found.approval), ...asked, ...said].join('\n'));
    },
  );
}

type Asked = RolledBack['changes'][number] & Partial<Pick<Difference['changes'][number], 'stagedBy'>>;

/** What would change, of one that is open: whatever changes it ends the approval. Who may not roll back is told so, and reads the rest. */
async function changesOf(remote: Remote, { action, to }: Approval): Promise<readonly Asked[]> {
  if (action === 'promote') return (await remote.diff()).changes;
  try {
    return (await remote.rollback({ dryRun: true, to, base: null })).changes;
  } catch (error) {
    if (!(error instanceof RemoteRefusal)) throw error;
    printNote(`Note: what would change is not shown: ${error.message}`);
    return [];
  }
}

function isOpen({ phase }: Approval): boolean {
  return phase === 'asked' || phase === 'approved';
}

function comment(): Command {
  return approvalSub('comment', 'say something about it', ' "why so cheap?"')
    .argument('<text>', 'a line of at most 500 characters')
    .option('--ticket <id>', TICKET_HELP)
    .action(async (approval: string, said: string, options: SayingOptions) => {
      const { approval: about } = await sent(remoteOf(options), [approval, 'comments'], saying({ ...options, message: said }));
      printResult(options, about, () => approvalText(about));
    });
}

function withdraw(): Command {
  return approvalSub('withdraw', 'ask no more')
    .option('-m, --message <text>', COMMENT_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (approval: string, options: SayingOptions) => {
      const remote = remoteOf(options);
      const { message, ticket } = options;
      const answer = await remote.request('DELETE', pathOf(remote, 'manage', 'approvals', approval), {
        query: { message, ticket },
        again: 'keyed',
      });
      const { approval: withdrawn } = checkedBody<ApprovalShown>(answer, SHOWN);
      printResult(options, withdrawn, () => approvalText(withdrawn));
    });
}

function approvalSub(name: string, description: string, example = ''): Command {
  return remoteCommand(name, description)
    .argument('<approval>', 'its id, as `savepoint approve list` shows it')
    .addHelpText('after', `\nExample:\n  savepoint approve ${name} 5b1c04f2a9d7e310${example}`);
}

async function sent(remote: Remote, path: readonly string[], body: JsonObject): Promise<ApprovalShown> {
  const answer = await remote.request('POST', pathOf(remote, 'manage', 'approvals', ...path), { body, again: 'keyed' });
  return checkedBody<ApprovalShown>(answer, SHOWN);
}

/** One line: of what, who asked, and what became of it. */
function approvalText(approval: Approval): string {
  return `${approval.id} ${phaseText(approval)}: ${actionText(approval)}, asked for by ${whoText(approval.asked)} at ${approval.asked.at}`;
}

function actionText({ action, to }: Approval): string {
  return to === null ? action : `${action} to ${to}`;
}

/** `approved by oleg`, `void (staged by mara)` */
function phaseText({ phase, decided, ended }: Approval): string {
  if (phase === 'void' && ended !== null) return `void (${ended.why === 'live' ? 'live changed' : ended.why} by ${whoText(ended)})`;
  return decided === null || phase === 'withdrawn' ? phase : `${phase === 'used' ? 'used, approved' : phase} by ${whoText(decided)}`;
}
