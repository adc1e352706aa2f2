import type { Change } from '../../folder/changes.ts';
import type { Finding } from '../../folder/findings.ts';
import { type Done, type Pushed, pushFolder } from '../../folder/push.ts';
import type { Remote } from '../../folder/remote.ts';
import { type Folder, readFolder } from '../../folder/sources.ts';
import { refreshTypes } from '../../folder/type-sources.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { endpointOf, idOf, runTests, type TestsDone } from '../remote/test-runs.ts';

/** One round of `savepoint dev`, after a change of the folder: push to `next`, regenerate the types, run the affected tests. */

export interface RoundOptions {
  readonly prune: boolean;
  readonly force: boolean;
  /** Absolute path of the file for the types; `null`: none are generated. */
  readonly types: string | null;
}

/** Reports each part of a round as soon as it is done. */
export interface RoundReporter {
  /** Files that look like sources but are not, and are not pushed. */
  unrecognized(unrecognized: Folder['unrecognized']): void;
  pushed(pushed: Pushed, ms: number): void;
  /** `findings`: those of the push. */
  tested(done: TestsDone, findings: readonly Finding[], ms: number): void;
  typed(file: string): void;
  /** A failure of the round itself: the server does not answer, or the folder cannot be read. The next change tries again. */
  failed(error: unknown): void;
}

/** Runs one round. Never throws, because no file and no answer of a server may end `dev`. */
export async function round(remote: Remote, { types, ...options }: RoundOptions, reporter: RoundReporter): Promise<void> {
  try {
    const { dir } = remote.server;
    const folder = readFolder(dir);
    reporter.unrecognized(folder.unrecognized);
    const began = performance.now();
    const pushed = await pushFolder(remote, folder, { target: 'next', strict: false, ...options });
    reporter.pushed(pushed, performance.now() - began);
    if (!pushed.ok) return;
    if (types !== null) makeTypes(dir, types, reporter);
    await testChanged(remote, folder, pushed, reporter);
  } catch (error) {
    reporter.failed(error);
  }
}

/** Generates the types. A failure is reported and does not prevent the tests. */
function makeTypes(dir: string, out: string, reporter: RoundReporter): void {
  try {
    if (refreshTypes(dir, out)) reporter.typed(out);
  } catch (error) {
    reporter.failed(error);
  }
}

async function testChanged(remote: Remote, folder: Folder, { changes, warnings }: Done, reporter: RoundReporter): Promise<void> {
  const tests = testsIn(folder);
  const only = affected(folder, changes, tests).map(idOf);
  if (only.length === 0) return;
  const began = performance.now();
  const done = await runTests(remote, { target: 'next', only, folder: tests });
  reporter.tested(done, warnings, performance.now() - began);
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
