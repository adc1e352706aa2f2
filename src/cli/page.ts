import { createReadStream } from 'node:fs';
import { Command } from 'commander';
import { MAX_CONTENT, PAGE_TYPES, type SavePage } from '../domain/page/page.ts';
import { refusal } from '../kernel/errors.ts';
import { awaitProjected, type CommonOptions, command, printResult, table, withInstallation } from './context.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint page`: the pages that a project shows to anybody under /pages. */
export function pageCommand(): Command {
  return new Command('page')
    .description('put, list and remove the pages of a project: news, a status, terms')
    .addCommand(put())
    .addCommand(list())
    .addCommand(remove());
}

interface PutOptions extends CommonOptions {
  readonly file: string;
  readonly title?: string;
  readonly type?: string;
  readonly status?: string;
}

function put(): Command {
  return command(
    'put',
    'make or replace a page from a file',
    'savepoint page put p1 news --file news.md',
    'savepoint page put p1 status --file status.json --status ok',
  )
    .argument('<projectId>')
    .argument('<slug>', 'its name in the address: lower-case letters, digits, _ and -')
    .requiredOption('--file <path>', 'Markdown, or one JSON object of keys and values')
    .option('--title <text>', 'default: the first heading of the text, else the slug')
    .option('--type <type>', 'markdown or keyvalue (default: by the name of the file, keyvalue for .json)')
    .option('--status <level>', 'such as ok, warning or outage')
    .action(async (projectId: string, slug: string, options: PutOptions) => {
      const page = await pageOf(slug, options);
      await withInstallation(options, async (installation) => {
        const { revision } = await installation.operator.savePage(projectId, page);
        await awaitProjected(installation, projectId, revision);
      });
      const path = `/pages/${projectId}/${slug}`;
      printResult(options, { projectId, slug, title: page.title, type: page.type, path }, () => `Saved; it is served under ${path}`);
    });
}

async function pageOf(slug: string, { file, title, type, status }: PutOptions): Promise<SavePage> {
  const kind = type ?? (file.toLowerCase().endsWith('.json') ? 'keyvalue' : 'markdown');
  const known = PAGE_TYPES.find((one) => one === kind);
  if (known === undefined) throw new WrongUsage(`--type must be ${PAGE_TYPES.join(' or ')}, not ${kind}`);
  const content = await readPageFile(file);
  const heading = known === 'markdown' ? /^#+[ \t]+(.+)$/m.exec(content)?.[1]?.trim().slice(0, 120) : undefined;
  return { slug, title: title ?? heading ?? slug, type: known, content, statusLevel: status ?? null };
}

/** UTF-8 takes up to four bytes for a character. */
const MAX_BYTES = 4 * MAX_CONTENT;

async function readPageFile(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    // The read is bounded by the largest page, because the file may never end.
    for await (const chunk of createReadStream(file, { end: MAX_BYTES })) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.length <= MAX_BYTES) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw refusal('VALIDATION_FAILED', `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw refusal('VALIDATION_FAILED', `A page holds ${MAX_CONTENT} characters at most`);
}

interface PageRow {
  readonly slug: string;
  readonly title: string;
  readonly type: string;
  readonly statusLevel: string | null;
  readonly updatedAt: string;
}

const PAGES = `
SELECT slug, page->>'title' AS title, page->>'pageType' AS type, page->>'statusLevel' AS status, updated_at
FROM savepoint.pages WHERE project = $1 ORDER BY slug`;

function list(): Command {
  return command('list', 'list the pages of a project', 'savepoint page list p1')
    .argument('<projectId>')
    .action(async (projectId: string, options: CommonOptions) => {
      const pages = await withInstallation(options, async ({ pool, operator }) => {
        await operator.show(projectId);
        const { rows } = await pool.query<{ slug: string; title: string; type: string; status: string | null; updated_at: string }>(PAGES, [
          projectId,
        ]);
        return rows.map(
          ({ slug, title, type, status, updated_at }): PageRow => ({
            slug,
            title,
            type,
            statusLevel: status,
            updatedAt: new Date(Number(updated_at)).toISOString(),
          }),
        );
      });
      printResult(options, pages, () => {
        if (pages.length === 0) return 'No pages yet: `savepoint page put` makes one.';
        return table(
          ['SLUG', 'TITLE', 'TYPE', 'STATUS', 'UPDATED'],
          pages.map((page) => [page.slug, page.title, page.type, page.statusLevel ?? '', page.updatedAt]),
        );
      });
    });
}

function remove(): Command {
  return command('remove', 'remove a page', 'savepoint page remove p1 news')
    .argument('<projectId>')
    .argument('<slug>')
    .action(async (projectId: string, slug: string, options: CommonOptions) => {
      await withInstallation(options, async (installation) => {
        const { revision } = await installation.operator.removePage(projectId, slug);
        await awaitProjected(installation, projectId, revision);
      });
      printResult(options, { projectId, slug, removed: true }, () => `Page ${slug} is removed.`);
    });
}
