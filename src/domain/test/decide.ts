import type { TestsReplaced } from '../../contract/answers.ts';
import { Refusal } from '../../kernel/errors.ts';
import { hashText } from '../../kernel/hash.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { codeOf, diagnostic, fileOf } from '../definition/push/plan-item.ts';
import { type PlannedWhole, wholeDiagnostics } from '../definition/push/plan-single.ts';
import { type Decision, publishEvents, putOf, refusePush, written } from '../definition/push/publish-events.ts';
import { contentProblem, storedTextProblem } from '../definition/source/check.ts';
import { compileItem } from '../definition/source/compile.ts';
import { plainWords } from '../definition/source/wording.ts';
import { SINGLE_ID } from '../events.ts';
import type { Finding } from '../finding.ts';
import type { DefinitionsState } from '../states.ts';

import { namesFindings, testsFindings } from './findings.ts';

/** PUT tests: replaces the whole list; sources compile like any other. Tests are never staged. */

const MAX_TESTS = 500;
const ABOUT = { resourceKind: 'tests' } as const;

/** The list, bare or under `tests`. */
export function testsIn(body: Json | undefined): Json | undefined {
  return isArray(body) ? body : objectOf(body)['tests'];
}

/** Decides PUT tests. Refuses as {@link planTests}. */
export function decidePutTests(state: DefinitionsState, body: Json | undefined): Decision<TestsReplaced> | Refusal {
  const planned = planTests(body);
  if (planned instanceof Refusal) return planned;
  return {
    events: publishEvents(state, 'live', [planned.put]),
    answer: written({ ...ABOUT, action: 'replace' as const, total: planned.total, ...wholeDiagnostics('tests', planned.found) }),
  };
}

/** What a push of tests would put, or why it is refused. */
export function planTests(body: Json | undefined): (PlannedWhole & { readonly found: readonly Finding[] }) | Refusal {
  if (body === undefined) return refusePush('VALIDATION_FAILED', 'Request body is empty.', ABOUT);
  const items = testsIn(body);
  if (!isArray(items)) return refusePush('VALIDATION_FAILED', 'Body must be an array of tests.', ABOUT);
  if (items.length > MAX_TESTS) return refusePush('VALIDATION_FAILED', `A project has at most ${MAX_TESTS} tests.`, ABOUT);
  if (!items.every((item) => isObject(item))) return refusePush('VALIDATION_FAILED', 'Each test must be an object.', ABOUT);
  const compiled = items.map((item) => compileItem(item, 'test'));
  const failures = compiled.flatMap((each, index) => (each.ok ? [] : [{ ...each, index, ...fileOf(items[index] ?? null) }]));
  const [first] = failures;
  if (first !== undefined) {
    const results = failures.map((each) => ({
      ok: false,
      ...ABOUT,
      resourceId: each.resourceId ?? `test[${each.index}]`,
      error: codeOf(each),
      message: plainWords(each.message),
      diagnostics: [diagnostic(each, each)],
    }));
    return refusePush(codeOf(first), `Nothing was written: ${failures.length} of ${items.length} failed. ${first.message}`, {
      ...ABOUT,
      results,
    });
  }
  const tests = identified(compiled.flatMap((each) => (each.ok ? [each.definition] : [])));
  const put = putOf('tests', SINGLE_ID, tests);
  const problem = contentProblem(tests) ?? storedTextProblem(put.text);
  if (problem !== null) return refusePush('VALIDATION_FAILED', problem.message, ABOUT);
  const found = testsFindings(tests);
  return { put, total: tests.length, found, findings: (known) => [...found, ...namesFindings(tests, known)] };
}

/**
 * Tests with unique ids. A missing, blank or repeated id becomes one made from the test's index and text, so the same list gets the same
 * ids.
 */
function identified(tests: readonly JsonObject[]): JsonObject[] {
  const taken = new Set<string>();
  return tests.map((test, index) => {
    const own = stringOf(test['id']);
    const id = own === undefined || taken.has(own) ? generatedId(test, index, taken) : own;
    taken.add(id);
    return id === test['id'] ? test : { ...test, id };
  });
}

function generatedId(test: JsonObject, index: number, taken: ReadonlySet<string>): string {
  for (let turn = 0; ; turn += 1) {
    const id = `test_${hashText(`${index} ${turn} ${stringifyJson(test)}`).slice(0, 12)}`;
    if (!taken.has(id)) return id;
  }
}
