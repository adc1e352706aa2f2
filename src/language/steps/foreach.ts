import type { Findings } from '../../domain/finding.ts';
import { stringOf } from '../../kernel/json-read.ts';
import { LanguageError } from '../expressions/errors.ts';
import { compileTakes } from '../expressions/take.ts';
import { toList } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { runList } from '../run-steps.ts';
import { type CompileStep, firstString, type Signal } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { taking } from '../types/bound.ts';
import { goesOn, type StepFlow } from '../types/flow.ts';
import { bind, type Names, restored } from '../types/names.ts';
import { typeOfTemplate, typeOfToken } from '../types/templates.ts';
import { isNever, nullForMissing } from '../types/type.ts';
import { itemsOf } from '../types/walk.ts';
import { countTurn, iterationsOf, loopFindings, turns } from './shared/loop.ts';
import { fromFindings } from './shared/rows.ts';

/** `foreach`: repeats its steps for each item of a list. */

const compile: CompileStep<'foreach'> = (step, compilation) => {
  const from = firstString(step.json, 'from');
  if (from === undefined) throw new LanguageError('it has no from.');
  const list = from.includes('{{') ? compilation.language.template(from) : compilation.language.token(from);
  const item = firstString(step.json, 'item') ?? 'item';
  const steps = compilation.list(step.json.steps);
  const take = compileTakes(compilation.language, step.json.let);
  const most = iterationsOf(step);
  return (frame) => {
    const items = toList(list(frame.scope), 'from');
    for (const [turn, value] of items.entries()) {
      countTurn(frame, step, turn, most);
      const signal: Signal | undefined = frame.scope.with(item, value, () => {
        take?.(frame.scope);
        return runList(frame, steps);
      });
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
};

function check(step: NormalStep<'foreach'>, pointer: string, findings: Findings): void {
  loopFindings(step, pointer, findings);
  fromFindings(step, pointer, findings);
  findings.missing(step, ['from'], pointer, 'MISSING_FOREACH_FIELD');
  findings.missing(step, ['item'], pointer, 'MISSING_FOREACH_FIELD');
}

const flow: StepFlow<NormalStep<'foreach'>> = ({ json }, names, frame) => {
  const from = firstString(json, 'from') ?? '';
  const item = nullForMissing(itemsOf(from.includes('{{') ? typeOfTemplate(names, from) : typeOfToken(names, from)));
  const name = firstString(json, 'item') ?? 'item';
  if (isNever(item)) return goesOn(names);
  return turns(names, (before) => {
    const flow = frame.analysis.list(frame, taking(bind(before, [name, item]), json.let), json.steps);
    const without = (after: Names | null) => (after === null ? null : restored(after, name, before));
    const jumped = flow.jumps.map((jump) => ({ ...jump, names: restored(jump.names, name, before) }));
    return { next: without(flow.next), ended: without(flow.ended), answers: flow.answers, jumps: jumped };
  });
};

export const foreachStep: StepKind<'foreach'> = {
  isLoop: true,
  compile,
  check,
  binds: () => null,
  paths: ['from'],
  items: { of: ({ from }) => from, name: ({ item }) => stringOf(item) ?? 'item', seenBy: ['steps'], paths: [] },
  flow,
};
