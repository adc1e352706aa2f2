import type { Finding } from '../../folder/findings.ts';
import { counted } from '../../kernel/counted.ts';
import { isObject, type JsonObject, stringOrEmpty } from '../../kernel/json.ts';
import { styled } from '../terminal.ts';
import { endpointOf, idOf } from './test-runs.ts';
import { visible } from './words.ts';

/** Tests of an endpoint that the server cannot run, because of a definition and not of a test. */

export interface UnrunnableEndpoint {
  readonly endpoint: string;
  readonly tests: readonly JsonObject[];
  /** The server's reason. */
  readonly why: string;
}

/** Whether the endpoint of this test reached a step that this server does not run. */
export function isUnrunnable(result: JsonObject): boolean {
  return errorOf(result)['code'] === 'ENDPOINT_NOT_SUPPORTED';
}

/** The endpoints that cannot run, each with its tests. */
export function unrunnableIn(results: readonly JsonObject[]): readonly UnrunnableEndpoint[] {
  const stuck = results.filter(isUnrunnable);
  return [...new Set(stuck.map(endpointOf))].map((endpoint) => {
    const tests = stuck.filter((each) => endpointOf(each) === endpoint);
    return { endpoint, tests, why: stringOrEmpty(errorOf(tests[0] ?? {})['message']) };
  });
}

/** Lines about an endpoint that cannot run. `findings` of the definitions that it may run locate the step. */
export function unrunnableLines({ endpoint, tests, why }: UnrunnableEndpoint, findings: readonly Finding[]): readonly string[] {
  const head = `${styled('red', '✗')} ${styled('bold', `endpoint ${visible(endpoint)} cannot run`)}`;
  const names = `    so ${counted(tests.length, 'test')} of it cannot pass: ${tests.map((test) => visible(idOf(test))).join(', ')}`;
  const found = reasonsIn(endpoint, findings);
  if (found.length === 0) return [`${head}: ${visible(why)}. \`savepoint check\` shows where`, names];
  const reasons = found.map(
    ({ path, line, column, message }) => `    ${path}${line === null ? '' : `:${line}:${column ?? 1}`}  ${message}`,
  );
  return [`${head}:`, ...reasons.map(visible), names];
}

/** Findings in the endpoint itself, or else in the workflows and libraries that it may run. */
function reasonsIn(endpoint: string, findings: readonly Finding[]): readonly Finding[] {
  const steps = findings.filter(({ code }) => code.endsWith('_STEP_TYPE'));
  const own = steps.filter(({ kind, id }) => kind === 'endpoint' && id === endpoint);
  return own.length > 0 ? own : steps.filter(({ kind }) => kind === 'workflow' || kind === 'library');
}

function errorOf({ result }: JsonObject): JsonObject {
  const body = isObject(result) ? result['body'] : null;
  const error = isObject(body) ? body['error'] : null;
  return isObject(error) ? error : {};
}
