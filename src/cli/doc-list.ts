import { type Command, Option } from 'commander';
import type { DocumentList } from '../contract/answers.ts';
import { anyObject, listOf, members, optional, text } from '../folder/answer-shape.ts';
import { checkedBody, type Target } from '../folder/remote.ts';
import { counted } from '../kernel/counted.ts';
import { isObject, type Json, stringifyJson } from '../kernel/json.ts';
import { endProgress, print, printNote, printResult, progress, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { openDownload } from './remote/download.ts';
import { inCollection } from './remote/names.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing, revealOf } from './remote.ts';
import { openWhole } from './whole-file.ts';
import { WrongUsage } from './wrong-usage.ts';

/** Which documents of a collection. */
interface WhichOptions extends RemoteOptions {
  readonly target: Target;
  readonly by?: string;
  readonly from?: string;
  readonly to?: string;
  readonly begins?: string;
  readonly columns?: string;
}

const INDEXED = `
By what an index keeps alone: _key; _time of a global collection; a number that a leaderboard of this collection is of; with --is a unique field.`;

function whichSub(name: string, description: string): Command {
  return revealing(remoteCommand(name, description))
    .argument('<collection>')
    .option('--by <order>', '_key, _time, or a field that an index keeps (default: _key)')
    .option('--from <value>', 'not before this key, time or number')
    .option('--to <value>', 'not behind it')
    .option('--begins <text>', 'keys that begin so')
    .option('--columns <paths>', 'dotted paths of fields, separated by commas')
    .addOption(new Option('--target <target>', 'the data').choices(TARGETS).default('live'));
}

interface ListOptions extends WhichOptions {
  readonly order?: string;
  readonly is?: string;
  readonly limit: number;
  readonly cursor?: string;
}

const LIST = members({ by: text, columns: listOf(text), documents: listOf(anyObject), cursor: optional(text) });

/** `savepoint doc list`: documents of a collection as a table. */
export function docList(): Command {
  return withLimit(whichSub('list', 'show documents of a collection as a table, in an order that an index keeps'), 'rows of a page', {
    to: 50,
    preset: 50,
  })
    .addOption(new Option('--order <order>', 'the direction').choices(['asc', 'desc']))
    .option('--is <value>', 'the one document that has this value in the unique field --by')
    .option('--cursor <cursor>', 'the cursor that the page before names')
    .addHelpText(
      'after',
      `${INDEXED}\n\nExamples:\n  savepoint doc list players\n  savepoint doc list players --by gold --from 1000 --columns name,gold\n  savepoint doc list accounts --by email --is ada@example.org`,
    )
    .action(async (collection: string, options: ListOptions) => {
      const remote = remoteOf(options);
      const { order, is, limit, cursor } = options;
      const path = pathOf(remote, 'manage', 'documents', collection);
      const query = { ...whichOf(options), order, is, limit, cursor };
      const asked = remote.request('GET', path, { query, target: options.target });
      const answer = await inCollection(remote, collection, options.target, asked);
      const page = checkedBody<DocumentList>(answer, LIST);
      print(options.json ? stringifyJson(answer.body ?? null) : tableOf(page));
      if (!options.json && page.cursor !== null) printNote(`There may be more: --cursor '${page.cursor}'`);
    });
}

function tableOf({ columns, documents }: DocumentList): string {
  if (documents.length === 0) return 'No documents.';
  const rows = documents.map(({ key, version, updatedAt, cells }) => [
    key,
    ...columns.map((column) => cellOf(cells[column])),
    String(version),
    updatedAt,
  ]);
  return table(['KEY', ...columns.map((column) => column.toUpperCase()), 'VERSION', 'CHANGED'], rows);
}

/** Characters of a cell. */
const CELL = 40;

function cellOf(cell: Json | undefined): string {
  if (cell === undefined) return '-';
  const whole = visible(isObject(cell) ? String(cell['text']) : typeof cell === 'string' ? cell : stringifyJson(cell));
  return whole.length <= CELL ? whole : `${whole.slice(0, CELL - 1)}…`;
}

interface ExportOptions extends WhichOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly format?: 'ndjson' | 'csv';
}

/** `savepoint doc export`: all documents of a collection as a file. */
export function docExport(): Command {
  return whichSub('export', 'write all documents of a collection into a file, as of one revision: NDJSON or CSV')
    .option('--out <file>', 'the file to be made (default: named by project, collection and revision, here)')
    .option('--force', 'replace the file if it is there')
    .addOption(new Option('--format <format>', 'default: as the file is called, else ndjson').choices(['ndjson', 'csv']))
    .addHelpText(
      'after',
      `${INDEXED}
Every document is as it was at the revision that the name tells, in the order of the keys. \`savepoint project export\` writes a whole project.

Examples:
  savepoint doc export players
  savepoint doc export players --format csv --columns name,gold
  savepoint doc export players --by gold --from 1000 --out rich.csv`,
    )
    .action(async (collection: string, options: ExportOptions) => {
      const remote = remoteOf(options);
      const { out, force = false, target } = options;
      const format = options.format ?? (out?.endsWith('.csv') ? 'csv' : 'ndjson');
      if (out !== undefined && /\.(?:csv|ndjson)$/.exec(out)?.[0] !== `.${format}` && /\.(?:csv|ndjson)$/.test(out))
        throw new WrongUsage(`${out} is called otherwise than --format ${format}`);
      const path = pathOf(remote, 'manage', 'documents', collection, 'export');
      const query = { ...whichOf(options), format };
      const asked = openDownload(remote, { path, query, target, headers: revealOf(options) });
      const download = await inCollection(remote, collection, target, asked);
      const file = out ?? download.fileName;
      const bytes = await openWhole({ out: file, force }, async (opened) => {
        let written = 0;
        for await (const chunk of download.chunks()) {
          await opened.writeFile(chunk);
          written += chunk.length;
          progress(`${(written / 1_000_000).toFixed(1)} MB`);
        }
        return written;
      }).finally(endProgress);
      const { revision } = download;
      printResult(
        options,
        { ok: true, collection, file, bytes, revision },
        () => `${collection} as of revision ${revision} is in ${file}: ${counted(bytes, 'byte')}.`,
      );
    });
}

function whichOf({ by, from, to, begins, columns }: WhichOptions) {
  return { by, from, to, begins, columns };
}
