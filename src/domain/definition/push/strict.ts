import { Refusal, refusal } from '../../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, stringOrEmpty } from '../../../kernel/json.ts';
import { objectsIn } from '../../../kernel/json-read.ts';
import { ACCESS_WIDENED } from '../../access/widened.ts';
import { DOCUMENTS_UNSEEN } from '../../finding.ts';
import { plainWords } from '../source/wording.ts';
import type { Decision } from './publish-events.ts';

/**
 * Refuses a strict push with findings: 400 STRICT_FINDINGS, with the usual answer and the findings as errors. A push without findings is
 * unchanged.
 */
export function strictly<Body extends JsonObject>(decision: Decision<Body> | Refusal): Decision<Body> | Refusal {
  if (decision instanceof Refusal) return decision;
  const { ok: _, ...body } = decision.answer;
  const found = diagnosticsIn(body);
  const [first] = found;
  if (first === undefined) return decision;
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
  const message = `Nothing was written: in a strict push every finding is an error. ${positionText(first)}: ${stringOrEmpty(first['message'])}${more}`;
  return refusal('STRICT_FINDINGS', plainWords(message), { body: refusedBody(body) });
}

/**
 * Findings in an answer to a push that refuse it if it is strict: at the top, in the results of its elements, and in those of its sections.
 */
function diagnosticsIn(body: JsonObject): JsonObject[] {
  const parts = [...objectsIn(body['results']), ...objectsIn(Object.values(body))];
  return [...objectsIn(body['diagnostics']).filter(({ code }) => refusesStrict(code)), ...parts.flatMap(diagnosticsIn)];
}

/** Not what a push opens, which is meant, and not what nobody could look at. */
export function refusesStrict(code: Json | undefined): boolean {
  return code !== ACCESS_WIDENED && code !== DOCUMENTS_UNSEEN.code;
}

function refusedBody(body: JsonObject): JsonObject {
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    if (name === 'diagnostics') return [name, objectsIn(value).map(asError)];
    if (name === 'results') return [name, objectsIn(value).map(refusedResult)];
    if (!isObject(value)) return [name, value];
    return [name, { ...refusedBody(value), ...('ok' in value ? { ok: diagnosticsIn(value).length === 0 } : {}) }];
  });
  return Object.fromEntries(entries);
}

function refusedResult(result: JsonObject): JsonObject {
  const [first] = diagnosticsIn(result);
  if (first === undefined) return { ...result, action: 'skipped' };
  const { action: _, ...about } = result;
  const diagnostics = objectsIn(result['diagnostics']).map(asError);
  return { ...about, ok: false, error: 'STRICT_FINDINGS', message: stringOrEmpty(first['message']), diagnostics };
}

function asError(diagnostic: JsonObject): JsonObject {
  return refusesStrict(diagnostic['code']) ? { ...diagnostic, severity: 'error' } : diagnostic;
}

function positionText({ sourcePath, resourceId, sourcePointer, line }: JsonObject): string {
  const named = stringOrEmpty(sourcePath) || stringOrEmpty(resourceId);
  return typeof line === 'number' ? `${named}:${line}` : `${named}${stringOrEmpty(sourcePointer)}`;
}
