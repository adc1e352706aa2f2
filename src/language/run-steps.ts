import { Refusal } from '../kernel/errors.ts';
import { LanguageError } from './expressions/errors.ts';
import { asStepFailure, errorCode, type Frame, type Signal, type Step, stepFailure, type Trace } from './step.ts';

/** Most visits of one top-level step. The bound ends a cycle of `goto`s. */
const MAX_VISITS = 100;

/** The steps of a callable, with the positions that `goto` can reach by name. */
export interface Program {
  readonly steps: readonly Step[];
  readonly indexes: ReadonlyMap<string, number>;
}

export function programOf(steps: readonly Step[]): Program {
  const indexes = new Map<string, number>();
  steps.forEach((step, index) => {
    if (!indexes.has(step.definition.name)) indexes.set(step.definition.name, index);
  });
  return { steps, indexes };
}

/**
 * Runs a callable's steps. Returns how they ended: by a `return` route, by a `return` step with its value, or (`undefined`) at the end of
 * the list.
 */
export function runProgram(frame: Frame, program: Program): Extract<Signal, { kind: 'return' | 'answer' }> | undefined {
  const visits = new Map<number, number>();
  let at = 0;
  for (let step = program.steps[at]; step !== undefined; step = program.steps[at]) {
    countVisit(frame, visits, at, step);
    const signal = frame.trace === null ? runStep(frame, step) : tracedStep(frame, step, frame.trace);
    if (signal?.kind === 'return' || signal?.kind === 'answer') return signal;
    at = signal === undefined ? at + 1 : jump(program, step, at, signal);
  }
  return undefined;
}

function countVisit({ budgets }: Frame, visits: Map<number, number>, at: number, step: Step): void {
  const count = (visits.get(at) ?? 0) + 1;
  visits.set(at, count);
  budgets?.visit(count);
  if (count <= MAX_VISITS) return;
  throw stepFailure(step.definition, 400, errorCode(step.definition), `Step "${step.definition.id}" exceeded visit limit (${MAX_VISITS}).`);
}

function jump(program: Program, step: Step, at: number, signal: Extract<Signal, { kind: 'goto' | 'skip' }>): number {
  if (signal.kind === 'skip') return at + 1 + signal.count;
  const index = program.indexes.get(signal.target);
  if (index !== undefined) return index;
  throw asStepFailure(step.definition, new LanguageError(`there is no step "${signal.target.slice(0, 100)}" to go to.`));
}

/** Runs a nested list, of a block or a loop. Any signal leaves it. */
export function runList(frame: Frame, steps: readonly Step[]): Signal | undefined {
  for (const step of steps) {
    const signal = runStep(frame, step);
    if (signal !== undefined) return signal;
  }
  return undefined;
}

function tracedStep(frame: Frame, step: Step, trace: Trace): Signal | undefined {
  try {
    const signal = runStep(frame, step);
    trace(step.definition, frame.scope.names.get(step.definition.name), true);
    return signal;
  } catch (error) {
    trace(step.definition, frame.scope.names.get(step.definition.name), false);
    throw error;
  }
}

/**
 * Runs one step. Only errors of the language become its failure. Everything else passes unchanged: the caller repeats a run that needs a
 * document.
 */
function runStep(frame: Frame, step: Step): Signal | undefined {
  frame.scope.context.countStep();
  try {
    const { aliases, when, budget, body } = step.compiled();
    if (aliases !== null) frame.scope.addAliases(aliases);
    if (when !== null && !when(frame.scope)) return undefined;
    if (budget !== null) frame.budgets?.spend(budget, 1);
    return body(frame);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw asStepFailure(step.definition, error);
  }
}
