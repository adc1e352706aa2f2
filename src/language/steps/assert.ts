import type { Check } from '../expressions/scope.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, firstString, statusOf, stepFailure } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds, refuses } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import { knowing } from '../types/known.ts';
import { literal } from '../types/type.ts';
import { checkedFindings } from '../validate/checked.ts';
import { compileMessage } from './shared/message.ts';

/** `assert`: refuses the call unless its check holds. */

const compile: CompileStep<'assert'> = (step, { language }) => {
  const { json } = step;
  const { check } = json;
  if (check === undefined || check === null) {
    return () => {
      throw stepFailure(step, 400, 'INVALID_ASSERT', `Assert step "${step.id}" has no check.`);
    };
  }
  const test: Check = language.condition(check);
  const status = statusOf(json.status, 400);
  const code = firstString(json, 'errorCode') ?? 'ASSERTION_FAILED';
  const message = compileMessage(language, firstString(json, 'message') ?? 'Assertion failed.');
  return binding(step, ({ scope }) => {
    if (test(scope)) return true;
    throw stepFailure(step, status, code, message(scope));
  });
};

const flow: StepFlow<NormalStep<'assert'>> = (step, names, frame) => {
  const { json } = step;
  if (json.check === undefined || json.check === null) return refuses(frame, {}, { code: 'INVALID_ASSERT', status: 400 });
  refuses(frame, json, { code: 'ASSERTION_FAILED', status: 400 });
  return binds(step, knowing(names, json.check, true), literal(true));
};

export const assertStep: StepKind<'assert'> = {
  compile,
  check: checkedFindings,
  binds: () => 'plain',
  flow,
};
