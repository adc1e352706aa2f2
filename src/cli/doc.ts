import { Command, Option } from 'commander';
import type { Written } from '../contract/answers.ts';
import { members, wholeNumber } from '../folder/answer-shape.ts';
import type { Answered } from '../folder/exchange.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import { checkedBody, positionOf, type Remote, type Request, type Target } from '../folder/remote.ts';
import { refusal } from '../kernel/errors.ts';
import { type JsonObject, stringifyJson } from '../kernel/json.ts';
import { getPath } from '../kernel/path.ts';
import { print, printNote, printResult } from './context.ts';
import { documentFrom, operationOf } from './remote/arguments.ts';
import { needFields } from './remote/fields.ts';
import { namesOf, unknownName } from './remote/names.ts';
import { asPlayer, pathOf, TARGETS } from './remote/requests.ts';
import { prettyJson, visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint doc`: single documents. */
export function docCommand(): Command {
  return new Command('doc').description('read and change documents').addCommand(get()).addCommand(set());
}

interface DocOptions extends RemoteOptions {
  readonly target: Target;
  readonly player?: string;
}

function docSub(name: string, description: string): Command {
  return remoteCommand(name, description)
    .argument('<collection>')
    .argument('<key>', "the document's key; a player's is the player's id")
    .addOption(new Option('--target <target>', 'the data to work on').choices(TARGETS).default('live'));
}

function get(): Command {
  return docSub('get', 'print a document, or one field of it')
    .argument('[field]', 'dotted path of the field')
    .addHelpText('after', '\nExamples:\n  savepoint doc get players 42\n  savepoint doc get players 42 stats.gold')
    .action(async (collection: string, key: string, field: string | undefined, options: DocOptions) => {
      const remote = remoteOf(options);
      const answer = await answered(remote, collection, options.target, 'GET', key, {});
      const body = checkedBody<JsonObject>(answer, members({}));
      const value = field === undefined ? body : getPath(body, field);
      if (value === undefined) throw refusal('NOT_FOUND', `The document ${collection}/${key} has no field ${field}`);
      if (options.json) return print(stringifyJson(value));
      print(typeof value === 'string' ? visible(value) : prettyJson(value));
      if (field === undefined) printNote(`version ${answer.headers.get('x-ns-save-version')}, revision ${positionOf(answer)}`);
    });
}

interface SetOptions extends DocOptions {
  readonly file?: string;
  readonly ifVersion?: string;
  readonly reason?: string;
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
    .option('--reason <text>', 'why, for the ledger')
    .option('--no-strict', 'also store fields that the schema of the collection does not name')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint doc set players 42 gold+=5 name=Ada --reason "lost in a crash"\n  savepoint doc set players 42 --file ada.json --if-version 3',
    )
    .action(async (collection: string, key: string, changes: string[], options: SetOptions) => {
      const { ifVersion, player, target } = options;
      if (ifVersion !== undefined && !/^\d{1,15}$/.test(ifVersion)) throw new WrongUsage('--if-version is a whole number');
      const body = await bodyOf(changes, options);
      const remote = remoteOf(options);
      if (options.strict) await needFields(remote, collection, target, body);
      const headers = { ...asPlayer(player), ...(ifVersion === undefined ? {} : { 'x-ns-save-version': ifVersion }) };
      const answer = await answered(remote, collection, target, 'POST', key, { body, headers, again: 'keyed' });
      const { version } = checkedBody<Written>(answer, members({ version: wholeNumber }));
      const revision = positionOf(answer);
      printResult(options, { ok: true, version, revision }, () => `stored ${collection}/${key}: version ${version}, revision ${revision}`);
    });
}

async function bodyOf(changes: readonly string[], { file, reason }: SetOptions): Promise<JsonObject> {
  if (file !== undefined) {
    if (changes.length > 0) throw new WrongUsage('Give either changes or --file, which replaces the whole document');
    return documentFrom(file);
  }
  const ops = changes.map(operationOf);
  if (ops.length === 0) throw new WrongUsage('Nothing to change: give path=value, or --file');
  return { ops: reason === undefined ? ops : ops.map((op) => ({ ...op, reason })) };
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
  try {
    return await remote.request(method, pathOf(remote, 'storage', collection, key), { ...request, target });
  } catch (error) {
    const isMissing = error instanceof RemoteRefusal && error.code === 'NOT_FOUND';
    if (isMissing && !(await namesOf(remote, 'collection', target)).includes(collection))
      throw await unknownName(remote, 'collection', collection, target);
    throw error;
  }
}
