import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Photo } from './photos.ts';

/** All pictures of one look on one sheet, small enough for the docs. */

export interface Sheet {
  readonly columns: number;
  /** CSS pixels of one picture. */
  readonly width: number;
}

const QUALITY = 62;
const GAP = 12;

/** Writes a JPEG. The pictures are files in `folder`. */
export async function writeSheet(browser: Browser, folder: string, photos: readonly Photo[], { columns, width }: Sheet, to: string) {
  const figures = await Promise.all(
    photos.map(async ({ name, file }) => {
      const data = (await readFile(join(folder, file))).toString('base64');
      return `<figure><img src="data:image/png;base64,${data}" width="${width}"><figcaption>${name}</figcaption></figure>`;
    }),
  );
  const style = `body{margin:${GAP}px;display:grid;grid-template-columns:repeat(${columns},${width}px);gap:${GAP}px;font:12px sans-serif;background:#8884}
    figure{margin:0}img{display:block;border-radius:4px}figcaption{padding:4px 0}`;
  const context = await browser.newContext({ viewport: { width: columns * (width + GAP) + GAP, height: 400 } });
  const tab = await context.newPage();
  await tab.setContent(`<!doctype html><style>${style}</style>${figures.join('')}`);
  await writeFile(to, await tab.screenshot({ fullPage: true, type: 'jpeg', quality: QUALITY }));
  await context.close();
}
