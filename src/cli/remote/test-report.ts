import type { Finding } from '../../folder/findings.ts';
import { isObject, type JsonObject, stringOrEmpty } from '../../kernel/json.ts';
import { styled } from '../terminal.ts';
import type { TestsDone } from './test-runs.ts';
import { isUnrunnable, unrunnableIn, unrunnableLines } from './unrunnable.ts';
import { shortJson, visible } from './words.ts';

/**
 * Test results for people: a line for each, and for a failed test what was expected and found. For an endpoint that cannot run, the reason
 * is printed once; `findings` may locate it.
 */
export function testReport({ results, total, passed, failed }: TestsDone, findings: readonly Finding[] = []): string {
  if (total === 0) return 'There are no tests: `kind: test` in a file of the folder, or PUT tests, makes some.';
  const sum = `${passed} of ${total} passed`;
  const ran = results.filter((result) => !isUnrunnable(result));
  const stuck = unrunnableIn(results).flatMap((each) => unrunnableLines(each, findings));
  return [...ran.flatMap(linesOf), ...stuck, failed === 0 ? styled('green', sum) : styled('red', sum)].join('\n');
}

function linesOf(report: JsonObject): readonly string[] {
  const [id, endpoint] = [stringOrEmpty(report['id']), stringOrEmpty(report['endpoint'])];
  const timing = isObject(report['timing']) ? `${report['timing']['total']} ms` : '';
  const about = styled('gray', [endpoint === id ? '' : endpoint, timing].filter((part) => part !== '').join('  '));
  const warnings = Array.isArray(report['warnings'])
    ? report['warnings'].map((one) => `    ${styled('yellow', `! ${visible(String(one))}`)}`)
    : [];
  if (report['passed'] === true) return [`${styled('green', '✓')} ${visible(id)}  ${about}`.trimEnd(), ...warnings];
  return [`${styled('red', '✗')} ${styled('bold', visible(id))}  ${about}`.trimEnd(), ...failureOf(report), ...warnings];
}

const MAX_ANSWER = 300;

function failureOf(report: JsonObject): readonly string[] {
  const { result } = report;
  const reason = `    ${styled('red', visible(stringOrEmpty(report['reason'])))}`;
  if (!isObject(result)) return [reason];
  const input = report['input'] ?? null;
  const called = isObject(input) && Object.keys(input).length > 0 ? [`    called with ${shortJson(input, MAX_ANSWER)}`] : [];
  return [reason, ...called, `    answered ${String(result['status'])} ${shortJson(result['body'] ?? null, MAX_ANSWER)}`];
}
