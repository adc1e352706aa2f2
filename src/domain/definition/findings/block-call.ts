import { isObject, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { objectOf } from '../read.ts';
import type { Findings } from './finding.ts';

/** A call of `library.block`: the block, and the params it is given. */
export function blockCallFindings(called: string, step: JsonObject, path: string, findings: Findings): void {
  const dot = called.indexOf('.');
  const library = findings.known.library(called.slice(0, dot));
  const block = library === undefined ? undefined : member(objectOf(member(library, 'blocks')), called.slice(dot + 1));
  if (!isObject(block)) {
    const what = library === undefined ? `library '${called.slice(0, dot)}'` : `block '${called}'`;
    findings.add(
      'BLOCK_NOT_FOUND',
      `${path}/target`,
      `There is no ${what}: a call that reaches this step fails.`,
      'Push the library, too.',
    );
    return;
  }
  const declared = member(block, 'params');
  const given = member(step, 'params');
  if (!isObject(declared) || !isObject(given)) return;
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(declared, name)) continue;
    const known = Object.keys(declared).join(', ');
    findings.add('UNKNOWN_PARAM', `${path}/params/${name}`, `'${called}' has no param '${name}'; it has: ${known}.`);
  }
}
