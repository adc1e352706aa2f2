import { BUDGET_NAMES } from '../contract/resources/logic.ts';
import { refusal } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';

/**
 * `budgets` of an endpoint or a workflow: how many reads, writes, loop turns … a call may use, including what it calls. The author sets
 * them, below the limits that hold for every call.
 */
export type BudgetName = (typeof BUDGET_NAMES)[number];

export type BudgetLimits = ReadonlyMap<BudgetName, number>;

/** The declared budgets; `null`: no valid one. */
export function compileBudgets(json: Json | undefined): BudgetLimits | null {
  const declared: { readonly [Name in BudgetName]?: Json } = objectOf(json);
  const limits = BUDGET_NAMES.flatMap((name): [BudgetName, number][] => {
    const limit = declared[name];
    return typeof limit === 'number' && limit >= 0 ? [[name, limit]] : [];
  });
  return limits.length === 0 ? null : new Map(limits);
}

/** What one run of a definition, and its callers, have used of their budgets. */
export class Budgets {
  readonly #limits: BudgetLimits;
  readonly #outer: Budgets | null;
  readonly #depth: number;
  readonly #used = new Map<BudgetName, number>();

  /** `depth`: the nesting depth of workflows at which the definition itself runs. */
  constructor(limits: BudgetLimits, outer: Budgets | null, depth: number) {
    this.#limits = limits;
    this.#outer = outer;
    this.#depth = depth;
  }

  spend(name: BudgetName, amount: number): void {
    const used = (this.#used.get(name) ?? 0) + amount;
    this.#used.set(name, used);
    this.#require(name, used);
    this.#outer?.spend(name, amount);
  }

  /** Counts the `count`th visit of one step. */
  visit(count: number): void {
    this.#require('maxStepVisits', count);
  }

  /** Counts a call that runs at this nesting depth of workflows. */
  entered(depth: number): void {
    this.#require('maxWorkflowDepth', depth - this.#depth);
    this.#outer?.entered(depth);
  }

  #require(name: BudgetName, used: number): void {
    const limit = this.#limits.get(name);
    if (limit === undefined || used <= limit) return;
    const error = { budgetCategory: name, measured: used, limit };
    throw refusal('LIMIT_EXCEEDED', `The budgets of this definition allow ${limit} of ${name}`, { error });
  }
}
