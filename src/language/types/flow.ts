import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Logic } from '../normal/logic.ts';
import type { StepDefinition } from '../step.ts';
import { joined, type Names } from './names.ts';
import type { ObjectType, Type } from './type.ts';

/** Control flow of steps, and the operations of the analysis that they use. */

/** All ways out of a step, or out of a list of steps. */
export interface Flow {
  /** To the next step; `null`: never. */
  readonly next: Names | null;
  /** To the end of the endpoint, workflow or block. */
  readonly ended: Names | null;
  /** The answers with which it may end. */
  readonly answers: readonly Type[];
  readonly jumps: readonly Jump[];
}

/** To a top-level step by its name, or over so many steps. */
interface Jump {
  readonly to: string | number;
  readonly names: Names;
}

export function goesOn(next: Names | null): Flow {
  return { next, ended: null, answers: [], jumps: [] };
}

/** The call is refused: nothing comes after. */
export const REFUSED: Flow = goesOn(null);

/** Either of these flows. */
export function either(...flows: readonly Flow[]): Flow {
  return {
    next: flows.reduce<Names | null>((names, { next }) => joined(names, next), null),
    ended: flows.reduce<Names | null>((names, { ended }) => joined(names, ended), null),
    answers: flows.flatMap(({ answers }) => answers),
    jumps: flows.flatMap(({ jumps }) => jumps),
  };
}

/** The sequence of two flows: the second follows wherever the first goes on. */
export function andThen(first: Flow, after: (names: Names) => Flow): Flow {
  if (first.next === null) return first;
  const second = after(first.next);
  return { ...either({ ...first, next: null }, second), next: second.next };
}

/** A refusal with the author's code. */
export interface Refused {
  readonly status: number;
  /** As written, templates included. */
  readonly message: string | undefined;
}

/** The endpoint, workflow or block in which steps run. */
export interface FlowFrame {
  readonly analysis: Analysis;
  /** The endpoint or library whose own blocks are called by their bare names. */
  readonly home: Logic;
  readonly depth: number;
  /** Whether the routes `return`, `goto` and `skip` count. */
  readonly routed: boolean;
}

/** Operations of the analysis that steps use. */
export interface Analysis {
  /** The steps of a nested list. */
  list(frame: FlowFrame, names: Names, json: Json | undefined): Flow;
  /** The result of a workflow, an internal endpoint or a block; never if it always refuses or does not exist. */
  call(frame: FlowFrame, name: string, params: Type): Type;
  /** Runs the check of a workflow. Returns whether it has one. */
  guard(name: string): boolean;
  /** Notes a refusal that a call may end with. */
  refused(code: string, how: Refused): void;
  /** The documents of a collection, by its id or name; `null`: there is none. */
  documents(name: string | undefined): ObjectType | null;
  /** Notes that steps scan a collection, or write it. */
  touched(how: 'scans' | 'writes', collection: string | undefined): void;
}

export type StepFlow<W = JsonObject> = (step: StepDefinition<W>, names: Names, frame: FlowFrame) => Flow;
