import { Command, Option } from 'commander';
import type { Purged, Written } from '../contract/answers.ts';
import { typeOfCollection } from '../domain/definition/model/models.ts';
import { flag, members, wholeNumber } from '../folder/answer-shape.ts';
import type { Answered } from '../folder/exchange.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import { checkedBody, positionOf, type Remote, type Request, type Target } from '../folder/remote.ts';
import { refusal } from '../kernel/errors.ts';
import { type JsonObject, stringifyJson } from '../kernel/json.ts';
import { getPath } from '../kernel/path.ts';
import { AT_OPTION } from './at-option.ts';
import { endProgress, print, printNote, printResult, progress } from './context.ts';
import { docCompare, docHistory } from './doc-history.ts';
import { docExport, docList } from './doc-list.ts';
import { isConfirmed } from './promote.ts';
import { documentFrom, operationOf } from './remote/arguments.ts';
import { type CorrectionOptions, correct, sent, whyOf, withReason } from './remote/corrections.ts';
import { definitionOf, needFields } from './remote/fields.ts';
import { inCollection } from './remote/names.ts';
import { asPlayer, pathOf, TARGETS } from './remote/requests.ts';
import { prettyJson, visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { confirm, isInteractive } from './terminal.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint doc`: documents. */
export function docCommand(): Command {
  return new Command('doc')
    .description('read, list, export, change and delete documents, and see what they were')
    .addCommand(get())
    .addCommand(set())
    .addCommand(remove())
    .addCommand(docList())
    .addCommand(docExport())
    .addCommand(docHistory())
    .addCommand(docCompare())
    .addCommand(purge());
}

interface DocOptions extends RemoteOptions {
  readonly target: Target;
  readonly player?: string;
}

function docSub(name: string, description: string): Command {
  return revealing(remoteCommand(name, description))
    .argument('<collection>')
    .argument('<key>', "the document's key; a player's is the player's id")
    .addOption(new Option('--target <target>', 'the data to work on').choices(TARGETS).default('live'));
}

interface GetOptions extends DocOptions {
  readonly at?: string;
  readonly stored?: boolean;
}

function get(): Command {
  return docSub('get', 'print a document, or one field of it')
    .argument('[field]', 'dotted path of the field')
    .option(...AT_OPTION)
    .option('--stored', 'without the defaults of its schema; takes a key with history: r')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint doc get players 42\n  savepoint doc get players 42 stats.gold\n  savepoint doc get players 42 --at 2026-03-01T12:00Z',
    )
    .action(async (collection: string, key: string, field: string | undefined, options: GetOptions) => {
      const remote = remoteOf(options);
      const query = { at: options.at, view: options.stored ? 'stored' : undefined };
      const answer = await answered(remote, collection, options.target, 'GET', key, { query });
      const body = checkedBody<JsonObject>(answer, members({}));
      const value = field === undefined ? body : getPath(body, field);
      if (value === undefined) throw refusal('NOT_FOUND', `The document ${collection}/${key} has no field ${field}`);
      if (options.json) return print(stringifyJson(value));
      print(typeof value === 'string' ? visible(value) : prettyJson(value));
      if (field === undefined) printNote(`version ${answer.headers.get('x-ns-save-version')}, revision ${positionOf(answer)}`);
    });
}

interface SetOptions extends DocOptions {
  readonly correction?: boolean;
  readonly create?: boolean;
  readonly file?: string;
  readonly ifVersion?: string;
  readonly reason?: string;
  readonly ticket?: string;
  readonly strict: boolean;
}

function set(): Command {
  return docSub('set', 'change fields of a document, or store it whole')
    .argument(
      '[change...]',
      'path=value, path+=5, path-=5, path[]=item, path?=value (where there is none); a value is JSON where it is some, else text',
    )
    .option('--file <file>', 'store this JSON file as the whole document; - is standard input')
    .option('--if-version <n>', 'only where the document has this version; 0: only where there is none')
    .option('--player <id>', 'the player to name in the log')
    .option('--reason <text>', 'why: the ledger tells it, and whoever reads what happened')
    .option('--correction', "pass the game's rate limits and count in none, as support does; needs --reason")
    .option('--ticket <id>', 'of the support desk; with --correction')
    .option('--create', 'also where this player has no document yet; without it you are asked')
    .option('--no-strict', 'also store fields that the schema of the collection does not name')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint doc set players 42 gold+=5 name=Ada --reason "lost in a crash"\n  savepoint doc set players 42 gold+=500 --correction --reason "refund 1733" --ticket T-77\n  savepoint doc set players 42 --file ada.json --if-version 3',
    )
    .action(async (collection: string, key: string, changes: string[], options: SetOptions) => {
      const { ifVersion, player, target } = options;
      if (ifVersion !== undefined && !/^\d{1,15}$/.test(ifVersion)) throw new WrongUsage('--if-version is a whole number');
      const body = await bodyOf(changes, options);
      const remote = remoteOf(options);
      if (options.strict) await needFields(remote, collection, target, body);
      if (!(await mayMake(remote, collection, key, options))) {
        printNote('Nothing was stored.');
        process.exitCode = 1;
        return;
      }
      if (options.correction) return storeCorrection(remote, collection, key, body, options);
      const headers = { ...asPlayer(player), ...(ifVersion === undefined ? {} : { 'x-ns-save-version': ifVersion }) };
      const answer = await answered(remote, collection, target, 'POST', key, { body, headers, again: 'keyed' });
      const { version } = checkedBody<Written>(answer, members({ version: wholeNumber }));
      const revision = positionOf(answer);
      printResult(options, { ok: true, version, revision }, () => `stored ${collection}/${key}: version ${version}, revision ${revision}`);
    });
}

/**
 * Whether the write may go on: if it would make a document for a player, `--create` says so, or somebody who is asked. A mistyped id must
 * not make a player.
 */
async function mayMake(remote: Remote, collection: string, key: string, options: SetOptions): Promise<boolean> {
  const { target, create, ifVersion, json } = options;
  if (create === true || ifVersion !== undefined) return true;
  const definition = await definitionOf(remote, collection, target);
  if (definition !== undefined && typeOfCollection(definition) === 'global') return true;
  if (await isStored(remote, collection, target, key)) return true;
  const missing = `There is no document ${collection}/${key}`;
  if (json || !isInteractive())
    throw refusal('NOT_FOUND', `${missing}, and nothing was stored. Is the player's id right? --create makes the document.`);
  return confirm(`${missing}. Make it?`);
}

async function isStored(remote: Remote, collection: string, target: Target, key: string): Promise<boolean> {
  try {
    await answered(remote, collection, target, 'GET', key, {});
    return true;
  } catch (error) {
    if (error instanceof RemoteRefusal && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** Stores it as support does, with the reason and the ticket in the commit. */
async function storeCorrection(remote: Remote, collection: string, key: string, body: JsonObject, options: SetOptions): Promise<void> {
  const { target, ifVersion, reason = '', ticket } = options;
  const what = Array.isArray(body['ops']) ? body : { document: body };
  const seen = ifVersion === undefined ? {} : { version: Number(ifVersion) };
  const { documents, revision } = await sent(
    remote,
    ['corrections', collection, key],
    { ...what, ...seen, ...whyOf({ reason, ticket }) },
    target,
  );
  const version = documents[0]?.version ?? null;
  printResult(options, { ok: true, version, revision }, () =>
    version === null
      ? 'There was nothing to change.'
      : `stored ${collection}/${key}: version ${version}, revision ${revision ?? 'of the same request before'}`,
  );
}

function remove(): Command {
  return withReason(docSub('delete', 'delete a document as support does: shows it, then asks. Its ledger fields go down to 0'))
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  savepoint doc delete players 42 --reason "asked to" --ticket T-77 --dry-run')
    .action((collection: string, key: string, options: DocOptions & CorrectionOptions) =>
      correct(
        options,
        ['corrections', collection, key],
        { deleted: true },
        { question: 'Delete it?', undone: (made) => `Deleted by the commit at revision ${made}.` },
      ),
    );
}

async function bodyOf(changes: readonly string[], options: SetOptions): Promise<JsonObject> {
  const { file, reason, correction, ticket, player } = options;
  if (correction && (reason ?? '').trim() === '') throw new WrongUsage('--correction needs --reason, which the ledger tells');
  if (correction && player !== undefined) throw new WrongUsage('A correction is made in your own name: leave --player out');
  if (!correction && ticket !== undefined) throw new WrongUsage('--ticket belongs to a correction: give --correction, too');
  if (file !== undefined) {
    if (changes.length > 0) throw new WrongUsage('Give either changes or --file, which replaces the whole document');
    return documentFrom(file);
  }
  const ops = changes.map(operationOf);
  if (ops.length === 0) throw new WrongUsage('Nothing to change: give path=value, or --file');
  // A correction says it once.
  const told = correction || reason === undefined ? {} : { reason };
  return { ops: ops.map((op) => ({ ...op, ...told })) };
}

interface PurgeOptions extends RemoteOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

function purge(): Command {
  return remoteCommand(
    'purge',
    'delete all documents of a collection in live, also of one that is no longer defined: counts them, then asks',
  )
    .argument('<collection>', 'its id')
    .option('--dry-run', 'count only')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  savepoint doc purge relics --dry-run\n  savepoint doc purge relics --yes')
    .action(async (collection: string, options: PurgeOptions) => {
      const remote = remoteOf(options);
      const { documents = 0 } = await purged(remote, { collection, dryRun: true });
      const counted = `${collection} holds ${documents === 1 ? '1 document' : `${documents} documents`}`;
      if (options.dryRun || documents === 0)
        return printResult(options, { ok: true, collection, documents, deleted: 0 }, () => `${counted}. Nothing was deleted.`);
      if (!(await isConfirmed(options, `${counted}. Delete all of them? Their ledgers stay, and end at 0.`))) {
        process.exitCode = 1;
        return printResult(options, { ok: false, collection, documents, deleted: 0 }, () => 'Nothing was deleted.');
      }
      const deleted = await purgeAll(remote, collection).finally(endProgress);
      printResult(options, { ok: true, collection, documents, deleted }, () => `deleted ${deleted} of ${collection}`);
    });
}

/** Asks until nothing is left. */
async function purgeAll(remote: Remote, collection: string): Promise<number> {
  let deleted = 0;
  for (let more = true; more; ) {
    const answer = await purged(remote, { collection });
    deleted += answer.deleted;
    more = answer.more;
    progress(`deleted ${deleted}`);
  }
  return deleted;
}

async function purged(remote: Remote, body: JsonObject): Promise<Purged> {
  const answer = await remote.request('POST', pathOf(remote, 'manage', 'purge'), { body, again: 'keyed' });
  return checkedBody<Purged>(answer, members({ deleted: wholeNumber, more: flag }));
}

/** The answer of a document route. Throws its refusal; for an unknown collection, with the name that was probably meant. */
async function answered(
  remote: Remote,
  collection: string,
  target: Target,
  method: 'GET' | 'POST',
  key: string,
  request: Request,
): Promise<Answered> {
  const asked = remote.request(method, pathOf(remote, 'storage', collection, key), { ...request, target });
  return inCollection(remote, collection, target, asked);
}
