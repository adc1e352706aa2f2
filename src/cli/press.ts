import { type Command, Option } from 'commander';
import type { Buttons, Pressed } from '../contract/answers.ts';
import { CONSOLE_PAGES } from '../contract/resources/logic.ts';
import { anyObject, listOf, members } from '../folder/answer-shape.ts';
import { checkedBody, type Remote, type Target } from '../folder/remote.ts';
import { counted } from '../kernel/counted.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { answerText, type EndpointAnswer, refusalIn, refusedCall } from './call.ts';
import { printNote, printResult, table } from './context.ts';
import { isConfirmed } from './promote.ts';
import { callInput } from './remote/arguments.ts';
import { shownCorrection } from './remote/corrections.ts';
import { TICKET_HELP } from './remote/message.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { styled } from './terminal.ts';
import { WrongUsage } from './wrong-usage.ts';

interface PressOptions extends RemoteOptions {
  readonly player?: string;
  readonly page?: string;
  readonly reason?: string;
  readonly ticket?: string;
  readonly target: Target;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `savepoint press`: presses a button of the console, or lists the buttons. */
export function pressCommand(): Command {
  return revealing(
    remoteCommand(
      'press',
      'press a button of the console: run an endpoint that has `console` in its definition, in your name. Shows what it would do, then asks; without a name it lists the buttons',
    ),
  )
    .argument('[slug]', 'the endpoint of the button')
    .argument('[input...]', 'its input: JSON, or key=value pairs (JSON where it is some, else text), or - for standard input')
    .option('--player <id>', 'the player for whom it is pressed, of a button on the page of players')
    .option('--reason <text>', 'why, in a line of at most 256 characters: log and ledger keep it')
    .option('--ticket <id>', TICKET_HELP)
    .addOption(new Option('--page <page>', 'only the buttons of this page').choices(CONSOLE_PAGES))
    .addOption(new Option('--target <target>', 'the definitions and data').choices(TARGETS).default('live'))
    .option('--dry-run', 'look only: nothing is stored')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint press\n  savepoint press starter-pack --player 42 --reason "lost by a crash" --dry-run\n  savepoint press reset-quest quest=daily --player 42 --reason "stuck" --ticket T-77 --yes',
    )
    .action(async (slug: string | undefined, words: string[], options: PressOptions) => {
      const remote = remoteOf(options);
      const { buttons, more } = await listed(remote, options);
      if (slug === undefined) return printResult(options, { ok: true, buttons, more }, () => shownButtons(buttons, more));
      await press(remote, slug, await callInput(words), buttons.find(({ endpoint }) => endpoint === slug)?.confirm ?? null, options);
    });
}

async function press(remote: Remote, slug: string, input: JsonObject, confirm: string | null, options: PressOptions): Promise<void> {
  const { player, reason, ticket } = options;
  if (reason === undefined) throw new WrongUsage('Say why with --reason: the log and the ledger keep it');
  const body = { input, reason, ...(player === undefined ? {} : { player }), ...(ticket === undefined ? {} : { ticket }) };
  const look = await sent(remote, slug, { ...body, dryRun: true }, options.target);
  const wouldBe = { ...look.result, revision: null };
  const refused = refusalIn(wouldBe);
  if (options.dryRun || refused !== null) {
    if (refused !== null) process.exitCode = 1;
    const end = refused === null ? 'Nothing was changed: this was a look.' : 'It was not pressed: it would be refused.';
    return printResult(options, { ...look, ok: refused === null }, () =>
      [shownLook(look), answerText(refused, wouldBe), styled('gray', end)].join('\n'),
    );
  }
  if (!options.json) printNote(shownLook(look));
  if (!(await isConfirmed(options, visible(confirm ?? 'Press it?')))) {
    process.exitCode = 1;
    return printResult(options, { ...look, ok: false }, () => 'Nothing was changed.');
  }
  const done = await sent(remote, slug, { ...body, ...(confirm === null ? {} : { confirm }) }, options.target).catch((error: unknown) =>
    refusedCall(error),
  );
  const came: EndpointAnswer = 'result' in done ? { ...done.result, revision: done.revision } : done;
  const failed = refusalIn(came);
  if (failed !== null) process.exitCode = 1;
  const undo =
    came.revision === null
      ? ''
      : `\nThe commit at revision ${came.revision} did it: \`savepoint undo ${came.revision} --reason …\` takes it back.`;
  printResult(options, { ...done, ok: failed === null }, () => `${answerText(failed, came)}${undo}`);
}

const BUTTONS = members({ buttons: listOf(anyObject) });
const PRESSED = members({ result: anyObject });

async function listed(remote: Remote, { page, target }: PressOptions): Promise<Buttons> {
  const query = page === undefined ? {} : { page };
  return checkedBody<Buttons>(await remote.request('GET', pathOf(remote, 'manage', 'buttons'), { query, target }), BUTTONS);
}

async function sent(remote: Remote, slug: string, body: { readonly [name: string]: Json }, target: Target): Promise<Pressed> {
  const again = body['dryRun'] === true ? 'read' : 'keyed';
  return checkedBody<Pressed>(await remote.request('POST', pathOf(remote, 'manage', 'buttons', slug), { body, target, again }), PRESSED);
}

function shownButtons(buttons: Buttons['buttons'], more: number): string {
  if (buttons.length === 0) return 'There is no button: `console: {page: player, label: …}` in the definition of an endpoint makes one.';
  const rows = buttons.map(({ endpoint, page, label, description }) => [
    visible(endpoint),
    page,
    visible(label),
    visible(description ?? ''),
  ]);
  const rest = more === 0 ? [] : [`${counted(more, 'button')} more are left out.`];
  return [table(['ENDPOINT', 'PAGE', 'LABEL', 'ABOUT'], rows), ...rest].join('\n');
}

/** What would change. */
function shownLook({ result, documents, coins = [], more = 0 }: Pressed): string {
  if (!result.ok && documents?.length === 0) return 'It would store nothing.';
  if (documents === undefined) return 'What it would change is not shown: this caller reads no documents.';
  if (documents.length === 0 && coins.length === 0) return 'It would change no document.';
  return shownCorrection({ documents, coins, more, slots: [], left: [], shortfalls: [] });
}
