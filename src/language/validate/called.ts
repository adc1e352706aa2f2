import { type Findings, isTemplated } from '../../domain/finding.ts';
import type { Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { givenFindings } from './params.ts';

/** A call in a step or a route, by its pointer. Its member `workflow` names the target. */
interface Call {
  readonly pointer: string;
  readonly params?: Json | undefined;
}

/** Findings for the target of a call: whether it exists, and for a block its params. */
export function calledFindings(called: string, call: Call, findings: Findings): void {
  const { known, ownBlocks } = findings;
  if (isTemplated(called)) return;
  if (known.callable(called)) workflowFindings(called, call, findings);
  else if (called.includes('.')) blockFindings(called, call, findings);
  else if (!ownBlocks.has(called)) missingFinding(called, call, findings);
}

/** A block of the definition itself is called by its name alone, and takes precedence. */
function missingFinding(called: string, { pointer }: Call, findings: Findings): void {
  const [code, at] = ['WORKFLOW_NOT_FOUND', `${pointer}/workflow`];
  const message = `There is no workflow or internal endpoint '${called}'.`;
  const own = didYouMean(called, findings.ownBlocks);
  if (own === undefined) findings.addMissing(code, at, message, { kind: 'callable', name: called });
  else findings.add(code, at, message, own);
}

function blockFindings(called: string, { pointer, params: given }: Call, findings: Findings): void {
  const declared = findings.known.block(called);
  const library = called.slice(0, called.indexOf('.'));
  if (declared === false) {
    const missing = findings.known.library(library)
      ? ({ kind: 'block', name: called } as const)
      : ({ kind: 'library', name: library } as const);
    const message = `There is no ${missing.kind} '${missing.name}': a call that reaches this step fails.`;
    findings.addMissing('BLOCK_NOT_FOUND', `${pointer}/workflow`, message, missing, 'Push the library, too.');
    return;
  }
  if (!findings.imports.includes(library)) {
    const message = `'${library}' is called and not among the imports.`;
    findings.add('LIBRARY_NOT_IMPORTED', `${pointer}/workflow`, message, `Say 'imports: [${library}]'.`);
  }
  if (declared !== true) givenFindings(called, Object.keys(declared), given, pointer, findings);
}

/** A workflow that declares params takes no others. Editors write an empty map where none are declared. */
function workflowFindings(called: string, { pointer, params: given }: Call, findings: Findings): void {
  const { params, requires } = findings.known.workflow(called) ?? {};
  const declared = Object.keys(objectOf(params));
  if (declared.length > 0) givenFindings(called, [...declared, ...Object.keys(objectOf(requires))], given, pointer, findings);
}
