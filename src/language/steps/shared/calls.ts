import { STEPS } from '../../../contract/resources/step.ts';
import { type Findings, isText } from '../../../domain/finding.ts';
import { stringOf } from '../../../kernel/json-read.ts';
import { LanguageError } from '../../expressions/errors.ts';
import { callNested } from '../../failure-path.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { binding, type CompileStep, firstString } from '../../step.ts';
import { binds } from '../../types/bound.ts';
import { REFUSED, type StepFlow } from '../../types/flow.ts';
import { calledFindings } from '../../validate/called.ts';
import { keysOf, type Shape } from '../../validate/shape.ts';
import { compileParams, paramsType } from './params.ts';

/** Steps that run logic which is defined elsewhere. */

export const compileCall: CompileStep<'workflow' | 'call'> = (step, compilation) => {
  const name = firstString(step.json, 'workflow');
  if (name === undefined) throw new LanguageError('it names no workflow.');
  const params = compileParams(compilation.language, step.json.params);
  return binding(step, (frame) => {
    const target = compilation.callable(name);
    if (target === undefined) throw new LanguageError(`Workflow "${name}" not found.`);
    const given = params(frame.scope);
    return callNested(step, name, () => target.invoke(frame, given, step));
  });
};

export function callFindings(step: NormalStep<'call'>, pointer: string, findings: Findings, missing: string): void {
  const { workflow, params } = step;
  if (!isText(workflow)) findings.add(missing, pointer, `This step does not say what to call.`);
  else calledFindings(workflow, { pointer, params }, findings);
  findings.structure(STEPS.call, step, pointer, 'params');
}

/** The members of what the called logic says it returns. */
export function returnedShape({ workflow }: NormalStep<'workflow' | 'call'>, findings: Findings): Shape {
  const called = stringOf(workflow);
  return called === undefined ? 'open' : keysOf(findings.known.returns(called));
}

export const callFlow: StepFlow<NormalStep<'workflow' | 'call'>> = (step, names, frame) => {
  const name = firstString(step.json, 'workflow');
  if (name === undefined) return REFUSED;
  return binds(step, names, frame.analysis.call(frame, name, paramsType(names, step.json.params)));
};
