import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionsIn } from '../../src/folder/game-definitions.ts';
import { Refusal } from '../../src/kernel/errors.ts';
import { type JsonObject, tryParseJson } from '../../src/kernel/json.ts';
import { generateTypes } from '../../src/language/types/generate.ts';
import { blocksOf, filesOf, ROOT } from '../docs/support/pages.ts';

/** Types of small games, and the compiler that reads them. */

/** The types of these definitions, as the body of a push has them. */
export function typesOf(sync: JsonObject): string {
  try {
    return generateTypes(definitionsIn(sync));
  } catch (error) {
    if (error instanceof Refusal) throw new Error(`${error.message} ${JSON.stringify(error.extra.body)}`);
    throw error;
  }
}

const KINDS = { collection: 'collections', endpoint: 'endpoints', workflow: 'workflows', library: 'libraries' } as const;
const WHOLE = { 'values.json': 'gameValues', 'queries.json': 'queries', 'rules.json': 'rateLimitRules' } as const;

/** The push of source files by their names. */
function syncOf(files: ReadonlyMap<string, string>): JsonObject {
  const sources = Object.entries(KINDS).map(([kind, section]) => {
    const texts = [...files].filter(([name]) => name.endsWith(`.${kind}.yml`));
    return [section, texts.map(([name, text]) => ({ kind, sourceFormat: 'yaml', sourcePath: name, sourceText: text }))] as const;
  });
  const wholes = Object.entries(WHOLE).flatMap(([name, section]) => {
    const text = files.get(name);
    return text === undefined ? [] : [[section, tryParseJson(text) ?? null] as const];
  });
  return Object.fromEntries([...sources, ...wholes]);
}

export function exampleGame(): JsonObject {
  const folder = join(ROOT, 'infra/demo/game');
  return syncOf(new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])));
}

/** What a reader of the language's manual saves. */
export function manualGame(): JsonObject {
  return syncOf(filesOf('docs/language.md'));
}

/** What a reader of the first page pushes before promoting anything. */
export function firstGame(): JsonObject {
  const page = blocksOf('docs/first-game.md')
    .map(({ text }) => text)
    .join('');
  const section: Readonly<Record<string, string>> = { 'game-values': 'gameValues' };
  // Settings are no definitions.
  const pushes = [...page.matchAll(/^studio (?:PUT|POST) \/v3\/manage\/\$P\/([\w-]+) -d '([\s\S]*?)'$/gm)];
  return Object.fromEntries(
    pushes.flatMap(([, kind = '', text = '']) =>
      text === '{}' || kind === 'settings' ? [] : [[section[kind] ?? kind, tryParseJson(text) ?? null]],
    ),
  );
}

/** A member of the generated interface `Game`, on one line, without its comments. */
export function memberOf(types: string, ...path: readonly string[]): string {
  const plain = types.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ');
  return path.reduce(bodyOf, plain.slice(plain.indexOf('interface Game'))).replaceAll('; }', ' }');
}

function bodyOf(text: string, name: string): string {
  const quoted = /^\w+$/.test(name) ? name : `'${name}'`;
  const at = [`readonly ${quoted}: `, `readonly ${quoted}?: `]
    .map((head) => [text.indexOf(head), head.length] as const)
    .find(([from]) => from >= 0);
  if (at === undefined) throw new Error(`no ${name} in ${text}`);
  const from = at[0] + at[1];
  let depth = 0;
  for (let end = from; end < text.length; end += 1) {
    const char = text.charAt(end);
    if ('{(['.includes(char)) depth += 1;
    if ('})]'.includes(char)) depth -= 1;
    if (depth === 0 && char === ';') return text.slice(from, end).replace(/^\| /, '').trim();
  }
  throw new Error(`no end of ${name}`);
}

/** `file:line code` of every error, of one run over these files. */
export function compile(files: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'typegen-'));
  try {
    const options = {
      target: 'ES2023',
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      typeRoots: [join(ROOT, 'node_modules/@types')],
      types: ['node'],
      paths: { 'savepoint/client': [join(ROOT, 'src/client/index.ts')] },
    };
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { stdout, status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status === null) throw new Error('the compiler did not run');
    return stdout.split('\n').filter((line) => /error TS/.test(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
