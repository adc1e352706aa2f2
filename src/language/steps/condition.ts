import type { Findings } from '../../domain/finding.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Scope } from '../expressions/scope.ts';
import { callNested } from '../failure-path.ts';
import type { NormalStep } from '../normal/logic.ts';
import { falseRoute, type Route, skipCount, trueRoute } from '../route.ts';
import { runList } from '../run-steps.ts';
import {
  type Body,
  binding,
  type Compilation,
  type CompileStep,
  firstString,
  type StepDefinition,
  type StepDefinitionOf,
  statusOf,
} from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { refuses } from '../types/bound.ts';
import type { FlowFrame } from '../types/flow.ts';
import { andThen, either, type Flow, goesOn, REFUSED, type StepFlow } from '../types/flow.ts';
import { knowing } from '../types/known.ts';
import { bind, type Names } from '../types/names.ts';
import { isNever, literal } from '../types/type.ts';
import { checkedFindings } from '../validate/checked.ts';
import { conditionFindings } from '../validate/condition.ts';
import { type Around, routesFindings } from '../validate/routes.ts';
import { callFindings } from './shared/calls.ts';
import { compileMessage } from './shared/message.ts';
import { bindNames, compileParams, paramsType } from './shared/params.ts';

/** `condition`: goes one way or another. */

const compile: CompileStep<'condition'> = (step, compilation) => {
  if (firstString(step.json, 'workflow') !== undefined && step.json.check === undefined) {
    return workflowCondition(step, compilation);
  }
  const check = compilation.language.condition(checkOf(step.json));
  const branches = [branch(step, compilation, 'else'), branch(step, compilation, 'then')] as const;
  return (frame) => {
    const passed = check(frame.scope);
    frame.scope.names.set(step.name, passed);
    return branches[passed ? 1 : 0](frame);
  };
};

/** The `check`, or the clause written into the step itself. */
function checkOf(json: NormalStep<'condition'>): Json {
  const { check } = json;
  if (check !== undefined && check !== null) return check;
  if (['field', 'expression', 'all', 'any'].some((name) => Object.hasOwn(json, name))) return json;
  throw new LanguageError('it has no check.');
}

/** The steps under `then` or `else` run first, then the side's route is taken. */
function branch(step: StepDefinitionOf<'condition'>, compilation: Compilation, side: 'then' | 'else'): Body {
  const { json } = step;
  const branched = Object.hasOwn(json, 'then') || Object.hasOwn(json, 'else');
  const route = side === 'then' ? trueRoute(json, 'continue') : falseRoute(json, branched ? 'continue' : 'reject');
  const follow = compileRoute(step, compilation, route);
  const steps = compilation.list(json[side]);
  return steps.length === 0 ? follow : (frame) => runList(frame, steps) ?? follow(frame);
}

function compileRoute(step: StepDefinitionOf<'condition'>, compilation: Compilation, { action, json }: Route): Body {
  switch (action) {
    case 'continue':
      return () => undefined;
    case 'reject':
      return compileReject(compilation.language, json);
    case 'return':
      return (frame) => (frame.routed ? { kind: 'return' } : undefined);
    case 'goto': {
      const target = firstString(json, 'step') ?? '';
      return (frame) => (frame.routed ? { kind: 'goto', target } : undefined);
    }
    case 'skip': {
      const count = skipCount(json.count);
      return (frame) => (frame.routed ? { kind: 'skip', count } : undefined);
    }
    case 'run':
      return compileRun(step, compilation, json);
  }
}

/** Fails the call with the author's own words. */
function compileReject(language: Language, json: Route['json']): Body {
  const status = statusOf(json.status, 400);
  const code = firstString(json, 'errorCode') ?? 'CONDITION_FAILED';
  const message = compileMessage(language, firstString(json, 'message') ?? 'Condition check failed.');
  const severity = json.severity ?? null;
  const body = {
    flagged: json.flag === true,
    severity,
    conditionRejection: true,
    fireWebhook: json.webhook === true,
  };
  return (frame) => {
    throw new Refusal(status, code, message(frame.scope), { body });
  };
}

function compileRun(step: StepDefinitionOf<'condition'>, compilation: Compilation, json: Route['json']): Body {
  const name = firstString(json, 'workflow') ?? '';
  const params = compileParams(compilation.language, json.params ?? step.json.params);
  const as = firstString(json, 'as') ?? `${step.id}_run`;
  return (frame) => {
    const target = compilation.callable(name);
    if (target === undefined) throw new LanguageError(`Workflow "${name}" not found.`);
    const given = params(frame.scope);
    const result = callNested(step, name, () => target.invoke(frame, given, step));
    frame.scope.names.set(as, result);
    return undefined;
  };
}

/** A workflow's check alone, in a copy of the caller's names plus the params. It fails with the workflow's `onFail`. */
function workflowCondition(step: StepDefinitionOf<'condition'>, compilation: Compilation): Body {
  const name = firstString(step.json, 'workflow') ?? '';
  const params = compileParams(compilation.language, step.json.params);
  const bindings = compileBindings(compilation.language, step.json.bindings);
  return binding(step, ({ scope }) => {
    const guard = compilation.callable(name)?.guard;
    if (guard === undefined) throw new LanguageError(`Workflow "${name}" not found.`);
    if (guard === null) throw new LanguageError(`Workflow "${name}" has no check.`);
    guard(scope.copy(bindNames({ ...bindings(scope), ...params(scope) })), step);
    return true;
  });
}

/** Older definitions name plain paths instead of templates. */
function compileBindings(language: Language, json: Json | undefined): (scope: Scope) => JsonObject {
  const paths = Object.entries(objectOf(json)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return compileParams(language, Object.fromEntries(paths.map(([name, path]) => [name, `{{${path}}}`])));
}

function check(step: NormalStep<'condition'>, pointer: string, findings: Findings, around: Around): void {
  checkFindings(step, pointer, findings);
  routesFindings(step, pointer, findings, around);
}

function checkFindings(step: NormalStep<'condition'>, pointer: string, findings: Findings): void {
  const ownForm = ['field', 'expression', 'all', 'any'].some((name) => Object.hasOwn(step, name));
  if (step.workflow !== undefined) callFindings(step, pointer, findings, 'MISSING_WORKFLOW_TARGET');
  else if (!ownForm || step.check !== undefined) checkedFindings(step, pointer, findings);
  else {
    findings.add('MISSING_CHECK', pointer, `The condition stands in the step itself.`, `Put it into 'check'.`);
    conditionFindings(step, pointer, findings);
  }
}

const flow: StepFlow<NormalStep<'condition'>> = (step, names, frame) => {
  const { json } = step;
  const workflow = firstString(json, 'workflow');
  if (workflow !== undefined && json.check === undefined) {
    return frame.analysis.guard(workflow) ? goesOn(bind(names, [step.name, literal(true)])) : REFUSED;
  }
  const check = json.check ?? json;
  const branched = Object.hasOwn(json, 'then') || Object.hasOwn(json, 'else');
  const side = (holds: boolean): Flow => {
    const known = bind(knowing(names, check, holds), [step.name, literal(holds)]);
    const route = holds ? trueRoute(json, 'continue') : falseRoute(json, branched ? 'continue' : 'reject');
    return andThen(frame.analysis.list(frame, known, holds ? json.then : json.else), (after) => routed(step, route, after, frame));
  };
  return either(side(false), side(true));
};

function routed(step: StepDefinition<NormalStep<'condition'>>, { action, json }: Route, names: Names, frame: FlowFrame): Flow {
  switch (action) {
    case 'continue':
      return goesOn(names);
    case 'reject':
      return refuses(frame, json, { code: 'CONDITION_FAILED', status: 400 });
    case 'return':
      return frame.routed ? { ...REFUSED, ended: names } : goesOn(names);
    case 'goto':
      return jumps(frame, names, firstString(json, 'step') ?? '');
    case 'skip':
      return jumps(frame, names, skipCount(json.count));
    case 'run': {
      const name = firstString(json, 'workflow') ?? '';
      const result = frame.analysis.call(frame, name, paramsType(names, json.params ?? step.json.params));
      const as = firstString(json, 'as') ?? `${step.id}_run`;
      return isNever(result) ? REFUSED : goesOn(bind(names, [as, result]));
    }
  }
}

function jumps(frame: FlowFrame, names: Names, to: string | number): Flow {
  return frame.routed ? { ...REFUSED, jumps: [{ to, names }] } : goesOn(names);
}

export const conditionStep: StepKind<'condition'> = {
  compile,
  check,
  binds: ({ workflow }) => (workflow === undefined ? 'plain' : 'open'),
  flow,
};
