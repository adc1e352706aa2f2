import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, textAt } from '../harness/json.ts';
import { repositoryFolder } from '../harness/node.ts';
import { expectOk, managePath, type Project, secretHeaders, type Target } from '../harness/project.ts';

/** A definition as its author wrote it; the server compiles `sourceText`. */
interface SourceItem {
  readonly kind: string;
  readonly id: string;
  readonly authoringMode: 'source';
  readonly sourceFormat: 'yaml';
  readonly sourcePath: string;
  readonly sourceText: string;
}

const gameFolder = () => join(repositoryFolder(), 'infra/demo/game');

/**
 * Publishes the example game live: definitions, values, the leaderboard, the rate-limit rule, and the game's own tests. Returns the number
 * of definitions. `strict`: a finding in one of them is a failure.
 */
export async function pushGame(project: Project, strict: boolean): Promise<number> {
  const sources = await readSources();
  const push = (on: Project, method: string, route: string, body: unknown) => send(on, method, `${route}?strict=${strict}`, body);
  // Definitions that others refer to come first, so that players never call an incomplete game.
  for (const [kind, route] of [
    ['collection', 'collections'],
    ['workflow', 'workflows'],
  ] as const) {
    await push(
      project,
      'PUT',
      route,
      sources.filter((item) => item.kind === kind),
    );
  }
  await push(project, 'PUT', 'game-values', await readJson('values.json'));
  await push(project, 'PUT', 'rate-limit-rules', await readJson('rules.json'));
  const queries = await readJson('queries.json');
  await push(project, 'POST', 'queries', queries);
  await push(
    project,
    'PUT',
    'endpoints',
    sources.filter((item) => item.kind === 'endpoint'),
  );
  await push(
    project,
    'PUT',
    'tests',
    sources.filter((item) => item.kind === 'test'),
  );
  return sources.length + listAt({ queries }, 'queries').length + 2;
}

/** Publishes the game values with other prices of the axes, from level 1 on. Everything else stays. */
export async function pushAxePrices(project: Project, prices: readonly number[], target: Target): Promise<void> {
  const items = listAt(await readJson('values.json'), 'items').map((item) => {
    if (textAt(item, 'id') !== 'axes') return item;
    return { ...Object(item), rows: listAt(item, 'rows').map((row, place) => ({ ...Object(row), price: prices[place] })) };
  });
  await send(project, 'PUT', 'game-values?strict=true', { items }, target);
}

async function send(project: Project, method: string, route: string, body: unknown, target: Target = 'live'): Promise<void> {
  const call = { headers: secretHeaders(project, target), body };
  await expectOk(`${method} ${route}`, project.http.send(method, managePath(project, route), call));
}

async function readSources(): Promise<readonly SourceItem[]> {
  const names = (await readdir(gameFolder())).filter((name) => name.endsWith('.yml')).sort();
  return Promise.all(names.map(readSource));
}

/** The ids that the game's sources define. */
export async function gameIds(): Promise<readonly string[]> {
  return (await readSources()).map(({ id }) => id);
}

async function readSource(name: string): Promise<SourceItem> {
  const [id = '', kind = ''] = name.split('.');
  const sourceText = await readFile(join(gameFolder(), name), 'utf8');
  return { kind, id, authoringMode: 'source', sourceFormat: 'yaml', sourcePath: name, sourceText };
}

async function readJson(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(gameFolder(), name), 'utf8'));
}
