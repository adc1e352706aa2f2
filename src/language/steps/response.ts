import type { StepKind } from '../step-kind.ts';
import { goesOn } from '../types/flow.ts';

/** `response`: nothing. Editors mark the end with it. */

export const responseStep: StepKind<'response'> = {
  compile: () => () => undefined,
  binds: () => null,
  flow: (_step, names) => goesOn(names),
};
