import { Bulkhead } from '../../kernel/bulkhead.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { WorkBudget } from '../../kernel/work-budget.ts';
import type { Project } from '../project/project.ts';

/** Queries that topics evaluate at once, over all projects and of one. Further topics of a project that are due wait for these. */
const EVALUATIONS = { slots: 16, perKey: 4 };

/** The part of one CPU that the topics of a project take while another project is in use. */
const SHARE = 0.25;

/**
 * Evaluations of queries for topics. Projects take turns, and while another one is in use a project's topics take a part of the CPU alone:
 * their values come later then.
 */
export class Evaluations {
  readonly #scheduler: Scheduler;
  readonly #slots = new Bulkhead(EVALUATIONS);
  readonly #budgets = new WeakMap<Project, WorkBudget>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  run<T>(project: Project, evaluate: () => Promise<T>): Promise<T> {
    return this.#slots.run(project.id, async () => {
      const budget = this.budgetOf(project);
      const turn = project.isAlone ? null : budget.wait();
      if (turn !== null) await turn;
      return budget.count(evaluate);
    });
  }

  budgetOf(project: Project): WorkBudget {
    const known = this.#budgets.get(project);
    if (known !== undefined) return known;
    const budget = new WorkBudget(this.#scheduler, SHARE);
    this.#budgets.set(project, budget);
    return budget;
  }
}
