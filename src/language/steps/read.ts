import type { Findings } from '../../domain/finding.ts';
import { documentKey } from '../documents.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, firstString } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import type { StepFlow } from '../types/flow.ts';
import { NEVER } from '../types/type.ts';
import { collectionOf, compileKey, documentFindings, documentShape } from './shared/documents.ts';
import { compileRequired, foundFlow, requiredFindings } from './shared/required.ts';

/** `read`: the stored document under the call's own writes, or null. */

const compile: CompileStep<'read'> = (step, compilation) => {
  const collection = collectionOf(step, compilation);
  const key = compileKey(step, compilation);
  const required = compileRequired(step, compilation.language);
  return binding(step, ({ scope, documents }) => {
    const address = documentKey(key(scope));
    const found = collection === null || address === null ? null : documents.read(collection, address);
    if (found === null) required?.(scope);
    return found;
  });
};

function check(step: NormalStep<'read'>, pointer: string, findings: Findings): void {
  documentFindings(step, pointer, findings);
  requiredFindings(step, pointer, findings);
}

const flow: StepFlow<NormalStep<'read'>> = (step, names, frame) => {
  const document = frame.analysis.documents(firstString(step.json, 'collection'));
  return foundFlow(step, names, frame, document ?? NEVER);
};

export const readStep: StepKind<'read'> = {
  budget: 'reads',
  compile,
  check,
  binds: documentShape,
  flow,
};
