import type { Change } from '../../folder/changes.ts';
import type { Finding } from '../../folder/findings.ts';
import { type Done, type Pushed, pushFolder } from '../../folder/push.ts';
import type { Remote } from '../../folder/remote.ts';
import { type Folder, readFolder } from '../../folder/sources.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { refreshTypes } from '../../typegen/sources.ts';
import { endpointOf, idOf, runTests, type TestsDone } from '../remote/test-runs.ts';

/** What `savepoint dev` does after each change of the folder: push to `next`, make the types anew, test what changed. */

export interface RoundOptions {
  readonly prune: boolean;
  readonly force: boolean;
  /** The file of the types, as an absolute path; `null`: none are made. */
  readonly types: string | null;
}

/** Is told of each part of a round as soon as it is done. */
export interface Teller {
  /** Files that are named like sources and are none: they are not pushed. */
  strangers(strangers: Folder['strangers']): void;
  pushed(pushed: Pushed, ms: number): void;
  /** `findings`: what is wrong in what was pushed. */
  tested(done: TestsDone, findings: readonly Finding[], ms: number): void;
  typed(file: string): void;
  /** Something that is no finding: the server is away, a folder cannot be read. The next change tries again. */
  failed(error: unknown): void;
}

/** One round. Never throws: nothing in a file, and nothing that a server answers, ends `dev`. */
export async function round(remote: Remote, { types, ...options }: RoundOptions, tell: Teller): Promise<void> {
  try {
    const { dir } = remote.place;
    const folder = readFolder(dir);
    tell.strangers(folder.strangers);
    const began = performance.now();
    const pushed = await pushFolder(remote, folder, { target: 'next', strict: false, ...options });
    tell.pushed(pushed, performance.now() - began);
    if (!pushed.ok) return;
    if (types !== null) makeTypes(dir, types, tell);
    await testChanged(remote, folder, pushed, tell);
  } catch (error) {
    tell.failed(error);
  }
}

/** Where the types cannot be written, the tests are run all the same. */
function makeTypes(dir: string, out: string, tell: Teller): void {
  try {
    if (refreshTypes(dir, out)) tell.typed(out);
  } catch (error) {
    tell.failed(error);
  }
}

async function testChanged(remote: Remote, folder: Folder, { changes, warnings }: Done, tell: Teller): Promise<void> {
  const tests = testsIn(folder);
  const only = affected(folder, changes, tests).map(idOf);
  if (only.length === 0) return;
  const began = performance.now();
  const done = await runTests(remote, { target: 'next', only, folder: tests });
  tell.tested(done, warnings, performance.now() - began);
}

function testsIn({ sources }: Folder): readonly JsonObject[] {
  return sources.flatMap(({ kind, id, resource }) => (kind === 'test' && isObject(resource) ? [{ ...resource, id }] : []));
}

/**
 * The tests to run after these changes. After a change of endpoints and tests alone: tests of those endpoints, and those tests. Anything
 * else may be used by any endpoint, so every test is run.
 */
export function affected({ sources }: Folder, changes: readonly Change[], tests: readonly JsonObject[]): readonly JsonObject[] {
  const own = changes.filter(({ action }) => action !== 'absent');
  if (own.some(({ kind }) => kind !== 'endpoint' && kind !== 'test')) return tests;
  const changedTests = new Set(own.filter(({ kind }) => kind === 'test').map(({ id }) => id));
  const endpoints = new Set(own.filter(({ kind }) => kind === 'endpoint').map(({ id }) => id));
  for (const { kind, id, resource } of sources) {
    // A test may name an endpoint by its slug.
    if (kind === 'endpoint' && endpoints.has(id) && isObject(resource) && typeof resource['slug'] === 'string')
      endpoints.add(resource['slug']);
  }
  return tests.filter((test) => changedTests.has(idOf(test)) || endpoints.has(endpointOf(test)));
}
