import { evolveDocument, isDocumentEvent } from '../../domain/document/evolve.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { exceeded, growthOf, type Holding, NOTHING, plus, type Quotas } from '../../domain/project/quotas.ts';
import { asDocument, type DocumentState } from '../../domain/states.ts';
import { documentSubject, type SubjectKey } from '../../domain/subjects.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import type { Command, Decided, Outcome } from './commit.ts';
import type { DayQuota } from './day-quota.ts';
import type { HoldingCount } from './holding-count.ts';
import { quotaRefusals } from './quota-refusals.ts';
import type { View } from './view.ts';

/** What the quotas look at in a project. */
interface Writing {
  readonly set: { readonly head: number };
  execute<A>(command: Command<A>): Promise<Outcome<A>>;
}

/** What a project may store. It does not exist for a project without bounds. */
export class StoreQuotas {
  readonly #quotas: Quotas;
  readonly #day: DayQuota | null;
  readonly #count: HoldingCount | null;

  /** `count`: for bounds of documents or bytes. */
  constructor(quotas: Quotas, day: DayQuota | null, count: HoldingCount | null) {
    this.#quotas = quotas;
    this.#day = day;
    this.#count = count;
  }

  /** Runs a command within the quotas. Rejects with 429 QUOTA_EXCEEDED if it would store more. */
  async execute<A>(project: Writing, command: Command<A>): Promise<Outcome<A>> {
    const count = this.#count;
    let growth = NOTHING;
    const decide = (view: View, now: number): Decided<A> => {
      const asked = command.decide(view, now);
      const decision = this.#day?.checked(asked, project.set.head, now) ?? asked;
      if (count === null || decision instanceof Refusal) return decision;
      growth = growthIn(decision.events, view, now);
      return this.#beyond(count, growth) ?? decision;
    };
    const outcome = await project.execute({ ...command, decide });
    count?.add(growth, outcome.revision);
    return outcome;
  }

  #beyond(count: HoldingCount, growth: Holding): Refusal | null {
    if (growth.documents <= 0 && growth.bytes <= 0) return null;
    const held = count.held();
    const quota = held && exceeded(this.#quotas, held, growth);
    if (!quota) return null;
    quotaRefusals[quota] += 1;
    const limit = this.#quotas[quota];
    const used = held[quota];
    const what = quota === 'documents' ? 'documents' : 'bytes of documents';
    const message = `This project may hold ${limit} ${what} and holds ${used}; delete some, or have its operator raise the quota`;
    return refusal('QUOTA_EXCEEDED', message, { error: { quota, limit, used } });
  }
}

function growthIn(events: readonly DomainEvent[], view: View, now: number): Holding {
  let growth = NOTHING;
  let changed: Map<SubjectKey, DocumentState> | null = null;
  for (const event of events) {
    if (!isDocumentEvent(event)) continue;
    const { space, collection } = event.data;
    const subject = documentSubject(space, collection, event.type === 'record.appended' ? event.data.recordId : event.data.key);
    const before = changed?.get(subject) ?? (view.isFresh(subject) ? null : asDocument(view.read(subject)));
    const after = evolveDocument(before, event, now);
    growth = plus(growth, growthOf(before, after));
    changed ??= new Map();
    changed.set(subject, after);
  }
  return growth;
}
