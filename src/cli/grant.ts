import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { Grant, GrantBegun, GrantPlayer, GrantPlayers, GrantPreview, GrantShown, Grants, GrantUndone } from '../contract/answers.ts';
import { GRANT_OUTCOMES } from '../contract/routes/grants.ts';
import { anyObject, listOf, members, optional, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody, type Remote } from '../folder/remote.ts';
import { counted } from '../kernel/counted.ts';
import { isNumber, type JsonObject, toDouble } from '../kernel/json.ts';
import { endProgress, print, printNote, printResult, progress, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { isConfirmed } from './promote.ts';
import { operationOf, textFrom } from './remote/arguments.ts';
import { policyOption, shownValue, withReason } from './remote/corrections.ts';
import { pathOf } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint grant`: gives something to many players, each once, and takes it back. */
export function grantCommand(): Command {
  return new Command('grant')
    .description('give something to many players, each once; see how far it is, stop it, take it back')
    .addCommand(give(), { isDefault: true })
    .addCommand(list())
    .addCommand(show())
    .addCommand(players())
    .addCommand(stop())
    .addCommand(resume())
    .addCommand(undo());
}

interface WhyOptions extends RemoteOptions {
  readonly reason: string;
  readonly ticket?: string;
}

interface DoingOptions extends WhyOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly follow?: boolean;
}

interface GiveOptions extends DoingOptions {
  readonly collection: string;
  readonly ops: readonly string[];
  readonly players?: string;
  readonly query?: string;
  readonly everybody?: boolean;
}

function withDoing(made: Command): Command {
  return withReason(made)
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask')
    .option('-f, --follow', 'wait until nobody is left, and show how far it is');
}

function give(): Command {
  return withDoing(
    remoteCommand('give', 'give something to many players: shows what it does to some of them, then asks; `give` may be left out'),
  )
    .requiredOption('--collection <id>', 'whose documents change')
    .requiredOption('--ops <change...>', 'path+=5, path-=5, path[]=item, path=value, path?=value (where there is none)')
    .option('--players <file>', 'who gets it: a file with the key of a document on each line (a player’s is his id); - is standard input')
    .option('--query <id>', 'who gets it: the players whom this leaderboard shows')
    .option('--everybody', 'who gets it: whoever has a document in the collection')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint grant give --players lost.txt --collection players --ops gold+=100 --reason "the outage" --dry-run' +
        '\n  savepoint grant --query top --collection players --ops "bag[]=crown" --reason "season 3" --ticket T-9 --yes --follow' +
        '\n  savepoint grant --everybody --collection players --ops gold+=10 --reason "birthday" --yes',
    )
    .action(async (options: GiveOptions) => {
      const remote = remoteOf(options);
      const body = { ...whyOf(options), collection: options.collection, ops: options.ops.map(operationOf), ...(await whomOf(options)) };
      const look = await sent<GrantBegun>(remote, [], { ...body, dryRun: true }, BEGUN);
      if (options.dryRun)
        return printResult(options, look, () => `${previewText(look.preview, look.players)}\nNothing was given: this was a look.`);
      if (!options.json) printNote(previewText(look.preview, look.players));
      if (!(await isConfirmed(options, `Give it to ${counted(look.players, 'player')}?`)))
        return notDone(options, look, 'Nothing was given.');
      const begun = await sent<GrantBegun>(remote, [], body, BEGUN);
      await shownOrFollowed(remote, options, begun.grant);
    });
}

/** Who gets it, as the route takes it. */
async function whomOf({ players: file, query, everybody }: GiveOptions): Promise<JsonObject> {
  if ([file, query, everybody].filter((each) => each !== undefined).length !== 1)
    throw new WrongUsage('Say who gets it by one of --players, --query and --everybody');
  if (file === undefined) return query === undefined ? { everybody: true } : { query };
  const keys = (await textFrom(file)).split(/\r?\n/).flatMap((line) => line.trim() || []);
  if (keys.length === 0)
    throw new WrongUsage(`${file === '-' ? 'standard input' : file} names no player: it has the key of a document on each line`);
  return { players: keys };
}

interface ListOptions extends RemoteOptions {
  readonly limit: number;
}

function list(): Command {
  return withLimit(remoteCommand('list', 'show the newest grants, and how far they are'), 'how many', { to: 200, preset: 20 })
    .addHelpText('after', '\nExample:\n  savepoint grant list')
    .action(async (options: ListOptions) => {
      const remote = remoteOf(options);
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'grants'), { query: { limit: options.limit }, again: 'read' });
      const { grants } = checkedBody<Grants>(answer, members({ grants: listOf(GRANT) }));
      printResult(options, grants, () => (grants.length === 0 ? 'No grants.' : grantTable(grants)));
    });
}

function grantTable(grants: readonly Grant[]): string {
  const rows = grants.map(({ id, phase, players: all, given, refused, taken, kept, collection, begunAt, reason }) => {
    return [id, phase, ...[all, given, refused, taken, kept].map(String), visible(collection), begunAt, visible(reason)];
  });
  return table(['GRANT', 'PHASE', 'PLAYERS', 'GIVEN', 'REFUSED', 'TAKEN', 'KEPT', 'COLLECTION', 'BEGUN', 'REASON'], rows);
}

function grantSub(name: string, description: string, example: string): Command {
  return remoteCommand(name, description)
    .argument('<grant>', 'its id, as `savepoint grant list` shows it')
    .addHelpText('after', `\nExample:\n  savepoint grant ${name} 2f6c1a9be0d34c57${example}`);
}

function show(): Command {
  return grantSub('show', 'show how far a grant is', ' --follow')
    .option('-f, --follow', 'wait until nobody is left')
    .action(async (grant: string, options: RemoteOptions & { readonly follow?: boolean }) => {
      const remote = remoteOf(options);
      await shownOrFollowed(remote, options, await readGrant(remote, grant));
    });
}

interface PlayersOptions extends RemoteOptions {
  readonly is: GrantPlayer['is'];
  readonly limit: number;
}

function players(): Command {
  const made = grantSub('players', 'list what became of the players of a grant', ' --is refused --limit 1000');
  return withLimit(made, 'how many', { to: 100_000, preset: 50 })
    .addOption(new Option('--is <what>', 'those of whom this became last').choices(GRANT_OUTCOMES).default('refused'))
    .action(async (grant: string, options: PlayersOptions) => {
      const found = await readPlayers(remoteOf(options), grant, options);
      printResult(options, found, () => (found.length === 0 ? `No player is ${options.is}.` : playerTable(found)));
    });
}

const MOST_IN_PAGE = 200;

async function readPlayers(remote: Remote, grant: string, { is, limit }: PlayersOptions): Promise<readonly GrantPlayer[]> {
  const found: GrantPlayer[] = [];
  for (let after: number | null | undefined; after !== null && found.length < limit; ) {
    const query = { is, limit: Math.min(limit - found.length, MOST_IN_PAGE), after };
    const answer = await remote.request('GET', pathOf(remote, 'manage', 'grants', grant, 'players'), { query, again: 'read' });
    const page = checkedBody<GrantPlayers>(answer, members({ players: listOf(anyObject), after: optional(wholeNumber) }));
    found.push(...page.players);
    after = page.after ?? null;
  }
  return found;
}

function playerTable(found: readonly GrantPlayer[]): string {
  const rows = found.map(({ player, is, given, code, why, shortfalls, left }) => {
    const short = shortfalls.map(({ field, short: missing }) => `${field} short by ${shownValue(missing)}`);
    const stays = left.map((path) => `${path} stays`);
    const told = code === null ? [...short, ...stays] : [`${code}: ${why ?? ''}`];
    return [visible(player), is, given === null ? '' : String(given), visible(told.join(', '))];
  });
  return table(['PLAYER', 'IS', 'GIVEN AT', 'WHY'], rows);
}

function stop(): Command {
  return moving('stop', 'stop a grant, or its undoing, where it is; it can be resumed, or undone', ' --reason "wrong players"');
}

function resume(): Command {
  return moving('resume', 'go on to give to whoever was not served before it was stopped', ' --reason "it was right"');
}

function moving(name: 'stop' | 'resume', description: string, example: string): Command {
  return withReason(grantSub(name, description, example)).action(async (grant: string, options: WhyOptions) => {
    const remote = remoteOf(options);
    const moved = await sent<GrantShown>(remote, [grant, name], whyOf(options), SHOWN);
    printResult(options, moved.grant, () => grantText(moved.grant));
  });
}

interface UndoOptions extends DoingOptions {
  readonly policy: string;
}

function undo(): Command {
  return withDoing(
    grantSub(
      'undo',
      'take a grant back from everybody who got it: shows what it does to some of them, then asks',
      ' --reason "wrong players" --yes --follow',
    ),
  )
    .addOption(policyOption('reverse'))
    .action(async (grant: string, options: UndoOptions) => {
      const remote = remoteOf(options);
      const body = { ...whyOf(options), policy: options.policy };
      const look = await sent<GrantUndone>(remote, [grant, 'undo'], { ...body, dryRun: true }, UNDONE);
      const shown = () => previewText(look.preview, look.grant.given);
      if (options.dryRun) return printResult(options, look, () => `${shown()}\nNothing was taken back: this was a look.`);
      if (!options.json) printNote(shown());
      if (!(await isConfirmed(options, `Take it back from ${counted(look.grant.given, 'player')}?`)))
        return notDone(options, look, 'Nothing was taken back.');
      const undone = await sent<GrantUndone>(remote, [grant, 'undo'], body, UNDONE);
      await shownOrFollowed(remote, options, undone.grant);
    });
}

const GRANT = members({ id: text, phase: text, players: wholeNumber, given: wholeNumber, refused: wholeNumber, short: listOf(anyObject) });
const PREVIEW = members({
  tried: wholeNumber,
  documents: listOf(anyObject),
  sums: listOf(anyObject),
  refusals: listOf(anyObject),
  short: listOf(anyObject),
});
const BEGUN = members({ players: wholeNumber, grant: optional(GRANT), preview: optional(PREVIEW) });
const UNDONE = members({ grant: GRANT, preview: optional(PREVIEW) });
const SHOWN = members({ grant: GRANT });

function whyOf({ reason, ticket }: WhyOptions): JsonObject {
  return ticket === undefined ? { reason } : { reason, ticket };
}

async function sent<Body>(remote: Remote, path: readonly string[], body: JsonObject, shape: typeof SHOWN): Promise<Body> {
  const answer = await remote.request('POST', pathOf(remote, 'manage', 'grants', ...path), { body, again: 'keyed' });
  return checkedBody<Body>(answer, shape);
}

function notDone(options: RemoteOptions, look: object, words: string): void {
  process.exitCode = 1;
  printResult(options, { ...look, ok: false }, () => words);
}

async function readGrant(remote: Remote, grant: string): Promise<Grant> {
  return checkedBody<GrantShown>(await remote.request('GET', pathOf(remote, 'manage', 'grants', grant), { again: 'read' }), SHOWN).grant;
}

const FOLLOW_MS = 500;
const UNDER_WAY: ReadonlySet<Grant['phase']> = new Set(['giving', 'taking']);

/** Prints a grant; with `--follow` once nobody is left, or somebody stopped it. */
async function shownOrFollowed(remote: Remote, options: RemoteOptions & { readonly follow?: boolean }, begun: Grant | null): Promise<void> {
  let grant = begun;
  while (options.follow && grant !== null && UNDER_WAY.has(grant.phase)) {
    progress(grantText(grant));
    await sleep(FOLLOW_MS);
    grant = await readGrant(remote, grant.id);
  }
  endProgress();
  if (options.json) return print(JSON.stringify(grant));
  if (grant === null) return;
  print(grantText(grant));
  if (UNDER_WAY.has(grant.phase)) printNote(`It goes on in the background: \`savepoint grant show ${grant.id} --follow\``);
  else if (grant.refused + grant.kept > 0)
    printNote(`\`savepoint grant players ${grant.id} --is ${grant.kept > 0 ? 'kept' : 'refused'}\` lists who, and why`);
}

/** One line: how far it is. */
function grantText({ id, phase, players: all, listed, given, refused, taken, kept, short }: Grant): string {
  const counts = Object.entries({ waiting: listed, given, refused, taken, kept }).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${name}`],
  );
  const missing = short.map((each) => `${visible(each.field)} short by ${each.short} (${counted(each.players, 'player')})`);
  return `${id} ${phase}: ${counted(all, 'player')}; ${[...counts, ...missing].join(', ')}`;
}

/** What it would do: the documents of some, and sums. `all`: how many there are. */
function previewText(preview: GrantPreview | null, all: number): string {
  if (preview === null) return '';
  const { tried, documents, sums, refused, refusals, short } = preview;
  const changes = documents.flatMap(({ key, changes: each }) =>
    each.map(({ path, from, to }) => `  ${visible(key)} ${visible(path)}: ${shownValue(from)} → ${shownValue(to)}`),
  );
  const share = tried === 0 ? 0 : all / tried;
  const about = (sum: GrantPreview['sums'][number]['sum']) =>
    share === 1 || !isNumber(sum) ? '' : `; about ${Math.round(toDouble(sum) * share)} for all`;
  return [
    `${counted(all, 'player')}, of whom ${tried} were tried${refused === 0 ? '' : `; ${refused} of these cannot get it`}:`,
    ...changes,
    ...sums.map(
      ({ path, sum }) => `  ${visible(path)} altogether: ${isNumber(sum) && toDouble(sum) > 0 ? '+' : ''}${shownValue(sum)}${about(sum)}`,
    ),
    ...short.map(
      ({ field, sum, players: who }) => `  ${visible(field)} falls short by ${shownValue(sum)} (${counted(who, 'player')})${about(sum)}`,
    ),
    ...refusals.map(({ player, code, message }) => `  ${visible(player)} ${code}: ${visible(message)}`),
  ].join('\n');
}
