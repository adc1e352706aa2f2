import { type Refusal, refusable } from '../kernel/errors.ts';
import { Budgets } from './budgets.ts';
import type { CompiledEndpoint } from './compile.ts';
import { Documents } from './documents.ts';
import type { EndpointCall } from './expressions/call.ts';
import { CallContext, Scope } from './expressions/scope.ts';
import { printable } from './response.ts';
import type { EndpointResult, Reads } from './run.ts';
import { runProgram } from './run-steps.ts';
import type { Frame, Trace } from './step.ts';

/**
 * Runs an endpoint for one call. Pure: it reads through `reads` and queues its writes; the caller commits them all, or runs it again.
 * Returns a `Refusal` for every rejection and failure: steps throw it, which ends the run. Whatever else `reads` throws passes through.
 */
export function runEndpoint(
  compiled: CompiledEndpoint,
  call: EndpointCall,
  reads: Reads,
  trace: Trace | null = null,
): EndpointResult | Refusal {
  return refusable(() => run(compiled, call, reads, trace));
}

function run(compiled: CompiledEndpoint, call: EndpointCall, reads: Reads, trace: Trace | null): EndpointResult {
  const context = new CallContext(call, call.values ?? compiled.values);
  const scope = new Scope(context, new Map(), compiled.aliases);
  const documents = new Documents(reads, (units) => context.spend(units));
  const frame: Frame = {
    scope,
    documents,
    depth: 0,
    trace,
    routed: true,
    budgets: compiled.budgets === null ? null : new Budgets(compiled.budgets, null, 0),
  };
  const end = runProgram(frame, compiled.program);
  const body = end?.kind === 'answer' ? printable(scope, end.value) : compiled.response.body(scope);
  return { status: compiled.response.status, body, writes: documents.writes };
}
