import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as library from '../../src/client/index.ts';
import * as panel from '../../src/client/revision-panel.ts';
import { ok } from '../node/support/game-client.ts';
import { newFolder } from '../node/support/program.ts';
import { endGame, type Game, startGame } from './support.ts';

/** Every example of a docstring runs on a real node and gives the value behind its arrow. */

const FOLDER = join(import.meta.dirname, '../../src/client');
const FILES = readdirSync(FOLDER);

interface Documented {
  readonly file: string;
  readonly name: string;
  readonly comment: string;
  readonly example: string | null;
}

/** A function that is exported, or a method or accessor of a class, as its line begins; a check of arguments is a statement. */
const FUNCTION =
  /^(?:export (?:async )?(?:function|class) |(?: {2})(?!constructor|if|for|while|switch|return|set |require[A-Z])(?:async |get )?(?=\w+[(<]))(\w+)/;

const documented: readonly Documented[] = FILES.flatMap((file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  return [...text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n([^\n]*)/g)].flatMap(([, comment = '', line = '']) => {
    const [, name] = FUNCTION.exec(line) ?? [];
    const [, example = null] = /@example\n *\* ```ts\n([\s\S]*?) *\* ```/.exec(comment) ?? [];
    return name === undefined ? [] : [{ file, name, comment, example: example?.replace(/^ *\* ?/gm, '') ?? null }];
  });
});
const examples = documented.flatMap(({ file, name, example }) => (example === null ? [] : [[file, name, example] as const]));

const offered = new Set(Object.keys(library));
/** Classes whose methods a game can call. */
const CLASSES = [
  'analytics',
  'client',
  'documents',
  'guest-player',
  'host',
  'live',
  'more-routes',
  'queue',
  'records',
  'revision',
  'revision-prompt',
  'save-state',
  'security',
  'sessions',
];

test('every public function has an example', () => {
  const known = new Set(documented.filter(({ comment }) => /@example|@internal/.test(comment)).map(({ file, name }) => `${file} ${name}`));
  const all = FILES.flatMap((file) => {
    const lines = readFileSync(join(FOLDER, file), 'utf8')
      .replace(/\/\*\*[\s\S]*?\*\//g, '')
      .split('\n');
    return lines.flatMap((line) => {
      const [whole = '', name = ''] = FUNCTION.exec(line) ?? [];
      const isOffered = whole.startsWith('export') ? offered.has(name) : CLASSES.includes(file.replace('.ts', ''));
      return whole !== '' && isOffered ? [`${file} ${name}`] : [];
    });
  });
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((name) => !known.has(name))).toEqual([]);
});

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

describe('the example of', () => {
  let game: Game;

  beforeAll(async () => {
    // A login: without one, who is to be proven is asked to wait.
    game = await startGame({ VERIFIER: 'hmac', VERIFIER_SECRET: 'the secret of a login' });
    await game.change({ guestSignIn: true });
    const feed = { id: 'feed', name: 'feed', collectionType: 'global', accessMode: 'public', publicAppend: true, schema: {} };
    await ok(game.manager.manage('PUT', game.manager.definitions('collections'), { body: [feed] }));
    const seed = library.createClient(game.options);
    await seed.as('76561198000000001').documents('players').save({ gold: 10 });
    await seed.as('76561198000000002').documents('players').save({ gold: 50 });
  });

  afterAll(() => endGame(game));

  test.each(examples)('%s: %s', async (_file, _name, example) => {
    const client = library.createClient({ ...game.options, player: await game.newRich() });
    let checks = 0;
    const check = (came: unknown, expected: unknown) => {
      checks++;
      expect(came).toEqual(expected);
    };
    const text = example.replace(/^( *)(.+?); \/\/ → (.+)$/gm, '$1check($2, $3);');
    const { code } = await transform(`async () => {\n${text}\n}`, { loader: 'ts', target: 'es2023' });
    // An example that makes the client itself gets none.
    const own = /const client =/.test(example) ? {} : { client };
    const given = { ...library, ...panel, ...game.options, ...own, check, folder: newFolder() };
    await new AsyncFunction(...Object.keys(given), `return (${code.trim().replace(/;$/, '')})();`)(...Object.values(given));
    expect(checks).toBe(example.split('// →').length - 1);
  });
});
