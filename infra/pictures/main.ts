import { copyFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type AxeFinding, isSerious } from '../harness/axe.ts';
import { builtChunks, filesOfChunk, gzippedBytes, pageWeights, shellFiles } from '../harness/console-build.ts';
import { repositoryFolder, startNode } from '../harness/node.ts';
import { freePort } from '../harness/port.ts';
import { markdownTable } from '../harness/table.ts';
import { type BenchRun, runBenchmark } from '../load/benchmark.ts';
import { print, progress } from '../load/terminal.ts';
import { type Picture, picturesOf } from './pages.ts';
import { type Look, openBrowser, type Photo, photograph } from './photos.ts';
import { setScene } from './scene.ts';
import { writeSheet } from './sheet.ts';

/**
 * `npm run pictures`: what the console looks like. Plays the example game on a node of its own, takes a picture of every page light, dark
 * and on a phone, has axe-core look at each, and sums what a browser loads. Exit code 1 when axe-core finds something serious.
 */

const USAGE = `npm run pictures [-- options]
  --only TEXT  pages whose name holds this; may be given several times
  --out DIR    where the pictures and report.md go (console-pictures)
  --docs       also those that docs/console.md shows`;

interface Options {
  readonly only: readonly string[];
  readonly folder: string;
  readonly docs: boolean;
}

function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [''] },
      out: { type: 'string', default: 'console-pictures' },
      docs: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values.help ? null : { only: values.only, folder: resolve(values.out), docs: values.docs };
}

async function run({ only, folder, docs }: Options, { folder: own, defer }: BenchRun): Promise<number> {
  const settings = { CONSOLE_LISTEN: `127.0.0.1:${await freePort()}` };
  progress('a node of its own, where the example game is played');
  const node = await startNode(join(own, 'node'), { settings });
  defer(() => node.stop());
  const scene = await setScene(node, settings);
  const browser = await openBrowser();
  defer(() => browser.close());
  const pictures = picturesOf(scene).filter(({ name }) => only.some((part) => name.includes(part)));
  const take = (some: readonly Picture[], look: Look) => photograph({ browser, folder, link: scene.link, say: progress }, some, look);
  const [light, dark, phone] = [await take(pictures, 'light'), await take(pictures, 'dark'), await take(pictures, 'phone')];
  await writeFile(join(folder, 'report.md'), reportOf({ light, dark, phone }));
  await writeSheet(browser, folder, light, ON_A_DESK, join(folder, 'pages.jpg'));
  await writeSheet(browser, folder, dark, ON_A_DESK, join(folder, 'dark.jpg'));
  await writeSheet(browser, folder, phone, IN_THE_HAND, join(folder, 'phone.jpg'));
  if (docs) {
    const shown = new Set(Object.values(IN_THE_DOCS));
    await updateDocs(
      folder,
      await take(
        pictures.filter(({ name }) => shown.has(name)),
        'docs',
      ),
    );
  }
  const photos = [...light, ...dark, ...phone];
  const serious = photos.flatMap(({ name, look, findings }) =>
    findings.filter(isSerious).map(({ id, at }) => `${name}, ${look}: ${id} at ${at[0]}`),
  );
  for (const each of serious) print(`SERIOUS ${each}`);
  print(`${photos.length} pictures and report.md are in ${folder}`);
  return serious.length > 0 ? 1 : 0;
}

const ON_A_DESK = { columns: 5, width: 320 };
const IN_THE_HAND = { columns: 9, width: 150 };

/** By their files in docs/pictures. */
const IN_THE_DOCS: Readonly<Record<string, string>> = {
  'console-calls.png': 'calls',
  'console-collections.png': 'a collection',
  'console-compare.png': 'document at two moments',
  'console-publishes.png': 'publishes',
  'console-restore.png': 'restore',
  'console-values.png': 'a table of values',
};

async function updateDocs(folder: string, photos: readonly Photo[]): Promise<void> {
  const pictures = join(repositoryFolder(), 'docs/pictures');
  await copyFile(join(folder, 'pages.jpg'), join(pictures, 'console-pages.jpg'));
  await copyFile(join(folder, 'phone.jpg'), join(pictures, 'console-phone.jpg'));
  for (const [file, shown] of Object.entries(IN_THE_DOCS)) {
    const photo = photos.find(({ name }) => name === shown);
    if (photo === undefined) throw new Error(`no page is called ${shown}`);
    await copyFile(join(folder, photo.file), join(pictures, file));
  }
}

const KB = 1_024;
const inKb = (bytes: number) => Math.round(bytes / KB);

/** Markdown: what axe-core found on each page in each look, and what a browser loads. */
function reportOf(looked: Readonly<Record<string, readonly Photo[]>>): string {
  const looks = Object.keys(looked);
  const pages = looked['light'] ?? [];
  const rows = pages.map(({ name }, place) => [name, ...Object.values(looked).map((photos) => said(photos[place]?.findings ?? []))]);
  const chunks = builtChunks();
  const first = gzippedBytes(new Set([...shellFiles(chunks), ...filesOfChunk('pages/activity.tsx', chunks)]));
  const weights = [...pageWeights(chunks)].filter(([name]) => name.startsWith('pages/')).sort(([, one], [, other]) => other - one);
  return [
    '# The console, looked at',
    `${pages.length} pages, each ${looks.join(', ')}: how many serious findings axe-core has, and its others`,
    markdownTable(['page', ...looks], rows),
    `The first route is ${inKb(first)} KB of scripts and styles after gzip. What a page needs beside what all need:`,
    markdownTable(
      ['page', 'KB'],
      weights.map(([name, bytes]) => [name, inKb(bytes)]),
    ),
    '',
  ].join('\n\n');
}

function said(findings: readonly AxeFinding[]): string {
  const [serious, others] = [findings.filter(isSerious), findings.filter((each) => !isSerious(each))];
  return [String(serious.length), ...others.map(({ id, impact }) => `${impact}: ${id}`)].join(', ');
}

await runBenchmark({ name: 'pictures', usage: USAGE, readOptions, run });
