import { isObject, type Json } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { type Findings, isTemplated } from './finding.ts';

/** A call in a step or a route: its pointer, and the member that names the target. */
interface Call {
  readonly pointer: string;
  readonly member: string;
  readonly params?: Json | undefined;
}

/** Findings for the target of a call: whether it exists, and for a block its params. */
export function calledFindings(called: string, call: Call, findings: Findings): void {
  const { known, ownBlocks } = findings;
  if (isTemplated(called) || known.callable(called)) return;
  if (called.includes('.')) blockFindings(called, call, findings);
  else if (!ownBlocks.has(called)) missingFinding(called, call, findings);
}

/** A block of the definition itself is called by its name alone, and takes precedence. */
function missingFinding(called: string, { pointer, member }: Call, findings: Findings): void {
  const [code, at] = ['WORKFLOW_NOT_FOUND', `${pointer}/${member}`];
  const message = `There is no workflow or internal endpoint '${called}'.`;
  const own = didYouMean(called, findings.ownBlocks);
  if (own === undefined) findings.addMissing(code, at, message, { kind: 'callable', name: called });
  else findings.add(code, at, message, own);
}

function blockFindings(called: string, { pointer, member, params: given }: Call, findings: Findings): void {
  const declared = findings.known.block(called);
  if (declared === false) {
    const library = called.slice(0, called.indexOf('.'));
    const missing = findings.known.library(library)
      ? ({ kind: 'block', name: called } as const)
      : ({ kind: 'library', name: library } as const);
    const message = `There is no ${missing.kind} '${missing.name}': a call that reaches this step fails.`;
    findings.addMissing('BLOCK_NOT_FOUND', `${pointer}/${member}`, message, missing, 'Push the library, too.');
    return;
  }
  if (declared === true || !isObject(given)) return;
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(declared, name)) continue;
    const names = Object.keys(declared);
    const fix = didYouMean(name, names);
    findings.add('UNKNOWN_PARAM', `${pointer}/params/${name}`, `'${called}' has no param '${name}'; it has: ${names.join(', ')}.`, fix);
  }
}
