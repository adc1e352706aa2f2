import { evolveDocument, isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { addUsage, exceeded, growthOf, NO_USAGE, type Quotas, type Usage } from '../../domain/project/quotas.ts';
import type { DocumentState } from '../../domain/states.ts';
import { documentSubject, type Subject } from '../../domain/subjects.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import type { Command, Decided, Outcome, Refused } from './commit.ts';
import type { DayQuota } from './day-quota.ts';
import type { DecisionContext } from './decision-context.ts';
import { quotaRefusals } from './quota-refusals.ts';
import type { UsageCounter } from './usage-counter.ts';

/** What the quotas use of a project. */
interface CommandExecutor {
  readonly set: { readonly head: number };
  execute<A>(command: Command<A>): Promise<Outcome<A>>;
}

/** Bounds what a project may store. A project without bounds has none. */
export class StoreQuotas {
  readonly #quotas: Quotas;
  readonly #day: DayQuota | null;
  readonly #count: UsageCounter | null;
  /** What commands that were decided and are not stored yet would add. */
  #underWay = NO_USAGE;

  /** `count`: for bounds of documents or bytes. */
  constructor(quotas: Quotas, day: DayQuota | null, count: UsageCounter | null) {
    this.#quotas = quotas;
    this.#day = day;
    this.#count = count;
  }

  /** Runs a command within the quotas. Rejects with 429 QUOTA_EXCEEDED if it would store more. */
  async execute<A>(project: CommandExecutor, command: Command<A>): Promise<Outcome<A>> {
    const count = this.#count;
    let growth = NO_USAGE;
    /** `next`: what the command would add by its latest decision. */
    const setGrowth = (next: Usage): void => {
      this.#underWay = addUsage(this.#underWay, { documents: next.documents - growth.documents, bytes: next.bytes - growth.bytes });
      growth = next;
    };
    const decide = (ctx: DecisionContext, now: number): Decided<A> => {
      setGrowth(NO_USAGE);
      const decided = command.decide(ctx, now);
      const decision = this.#day?.checked(decided, project.set.head, now) ?? decided;
      if (count === null || decision instanceof Refusal) return decision;
      const adds = growthIn(decision.events, ctx, now);
      const refused = this.#refusalBeyond(count, adds);
      if (refused !== null) return refusedWith(refused, decision.events);
      setGrowth(adds);
      return decision;
    };
    try {
      const outcome = await project.execute({ ...command, decide });
      count?.add(growth, outcome.revision);
      return outcome;
    } finally {
      setGrowth(NO_USAGE);
    }
  }

  #refusalBeyond(count: UsageCounter, growth: Usage): Refusal | null {
    if (growth.documents <= 0 && growth.bytes <= 0) return null;
    const counted = count.current();
    const usage = counted && addUsage(counted, this.#underWay);
    const quota = usage && exceeded(this.#quotas, usage, growth);
    if (!quota) return null;
    quotaRefusals[quota] += 1;
    const limit = this.#quotas[quota];
    const used = usage[quota];
    const what = quota === 'documents' ? 'documents' : 'bytes of documents';
    const message = `This project may hold ${limit} ${what} and holds ${used}; delete some, or have its operator raise the quota`;
    return refusal('QUOTA_EXCEEDED', message, { error: { quota, limit, used } });
  }
}

/** A sealed request's id is used up by a refused call, too: nobody may send that call again when there is room. */
function refusedWith(refused: Refusal, events: readonly DomainEvent[]): Refused | Refusal {
  const used = events.filter(({ type }) => type === 'request.consumed');
  return used.length === 0 ? refused : { events: used, refused };
}

function growthIn(events: readonly DomainEvent[], ctx: DecisionContext, now: number): Usage {
  let growth = NO_USAGE;
  let changed: Map<Subject, DocumentState> | null = null;
  for (const event of events) {
    if (!isDocumentEvent(event)) continue;
    const { space, collection } = event.data;
    const subject = documentSubject(space, collection, keyOf(event));
    const before = changed?.get(subject) ?? (ctx.isAssumedAbsent(subject) ? null : ctx.read(subject));
    const after = evolveDocument(before, event, now);
    growth = addUsage(growth, growthOf(before, after));
    changed ??= new Map();
    changed.set(subject, after);
  }
  return growth;
}
