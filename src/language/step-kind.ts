import type { StepType } from '../contract/resources/step.ts';
import type { Findings } from '../domain/finding.ts';
import type { Json } from '../kernel/json.ts';
import type { BudgetName } from './budgets.ts';
import type { NormalStep } from './normal/logic.ts';
import type { CompileStep } from './step.ts';
import type { StepFlow } from './types/flow.ts';
import type { Around } from './validate/routes.ts';
import type { Shape } from './validate/shape.ts';

/** All that the language knows of a type of step besides its schema, which the contract has. */
export interface StepKind<T extends StepType> {
  /** What a call runs. */
  readonly compile: CompileStep<T>;
  /** Findings for its members. Left out: nothing can be wrong with them. */
  readonly check?: (step: NormalStep<T>, pointer: string, findings: Findings, around: Around) => void;
  /** Which members its result has; `null`: it binds nothing under its name. */
  readonly binds: (step: NormalStep<T>, findings: Findings) => Shape | null;
  /** Names that it binds or changes besides its own. */
  readonly bindsAlso?: (step: NormalStep<T>) => readonly string[];
  /** What it does to the types of names. */
  readonly flow: StepFlow<NormalStep<T>>;
  /** The budget of which it uses one. */
  readonly budget?: BudgetName;
  /** Whether it changes documents. */
  readonly writes?: boolean;
  /** Whether it binds what its `let` takes in every turn, and not once. */
  readonly isLoop?: boolean;
  /** Members whose text is a path of the call, without braces. */
  readonly paths?: readonly string[];
  /** Members that hold expressions by name. */
  readonly calculated?: (step: NormalStep<T>) => readonly string[];
  readonly items?: StepItems<T>;
}

/** The list whose items some members of a step see. */
interface StepItems<T extends StepType> {
  readonly of: (step: NormalStep<T>) => Json | undefined;
  /** What an item is called. Left out: `item`, beside its `index`. */
  readonly name?: (step: NormalStep<T>) => string;
  /** Members that see an item. */
  readonly seenBy: readonly string[];
  /** Members whose text is a path in an item. */
  readonly paths: readonly string[];
}
