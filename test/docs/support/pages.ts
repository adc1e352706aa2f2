import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The documentation as tests read it: pages, code blocks, anchors. */

export const ROOT = resolve(import.meta.dirname, '../../..');

/** All pages of the repository, by path. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path}`),
]
  .filter((path) => path.endsWith('.md'))
  .sort();

export function textOfPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

export interface Block {
  /** The text after the fence: the language, and how the block is used (CONTRIBUTING.md, "Pages"). */
  readonly info: string;
  readonly text: string;
}

export function blocksOf(page: string): readonly Block[] {
  return [...textOfPage(page).matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', text = '']) => ({ info, text }));
}

/** The blocks that a reader saves in a file: name → text. */
export function filesOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    blocksOf(page).flatMap(({ info, text }) => {
      const [, name] = /\bfile=(\S+)$/.exec(info) ?? [];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
}
