import { createPast } from '../../../src/app/past/past.ts';
import type { ViewReader } from '../../../src/app/ports/readers.ts';
import type { DecisionContext } from '../../../src/app/project/decision-context.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { indexedSubjects } from '../../../src/domain/commit/named.ts';
import { EMPTY_DEFINITIONS } from '../../../src/domain/definition/model/evolve.ts';
import { decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import type { DomainEvent, ProjectEvent, PublishTarget } from '../../../src/domain/events.ts';
import { createProject } from '../../../src/domain/project/decide.ts';
import { AUTHORITY, DEFINITIONS, RELEASE, type SubjectKey } from '../../../src/domain/subjects.ts';
import { accepted, Refusal } from '../../../src/kernel/errors.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { RoundRobin } from '../../../src/kernel/round-robin.ts';
import { redacted } from '../../../src/log/commitment.ts';
import { readProjectEvent } from '../../../src/log/decode.ts';
import type { Log } from '../../../src/log/port.ts';
import { STREAM, Table } from '../support.ts';

export const COLLECTION = 'heroes';
export const PLAYER = 'p1';

export type Act = (ctx: DecisionContext, now: number) => readonly DomainEvent[];

function definition(gold: number): JsonObject {
  const properties = { gold: { type: 'number', default: gold, _ledger: true }, bag: { type: 'array', items: { type: 'string' } } };
  return { id: COLLECTION, name: COLLECTION, collectionType: 'per-platformid', maxRecords: 4, schema: { type: 'object', properties } };
}

/** A project over an in-memory log, and its past by the index of subjects as it would be. */
export class History {
  readonly table = new Table();
  readonly views: { -readonly [Name in 'caughtUp' | 'revisions']: ViewReader[Name] } = {
    caughtUp: async () => true,
    revisions: async (_, subject, { before, limit }) => (await this.#revisionsOf(subject)).filter((each) => each < before).slice(0, limit),
  };
  readonly past = createPast({
    views: this.views,
    scheduler: this.table.machine,
    roundRobin: new RoundRobin(this.table.machine),
    limits: { commandMs: 1_000_000 },
  });
  project!: Project;
  /** Events that were read. */
  reads = 0;
  #acts = 0;

  /** Revisions whose data were redacted. */
  readonly redacted = new Set<number>();

  async run(acts: readonly Act[]): Promise<this> {
    const { log } = this.table;
    const reading: Log = {
      append: (...all) => log.append(...all),
      read: async (...all) => {
        const events = await log.read(...all);
        this.reads += events.length;
        return events.map((event) => (this.redacted.has(event.revision) ? { ...event, data: redacted(event.data) } : event));
      },
      head: (stream) => log.head(stream),
      truncate: (...all) => log.truncate(...all),
      end: () => log.end(),
      follow: (options) => log.follow(options),
      close: () => log.close(),
    };
    this.project = await this.table.open({}, 1e6, reading);
    await this.act((ctx) => accepted(createProject(ctx.read(AUTHORITY), { projectId: 'table', name: 'Table' })).events);
    await this.act(publishing('live', 100));
    for (const act of acts) await this.act(act);
    return this;
  }

  async act(act: Act): Promise<void> {
    this.#acts += 1;
    const command = {
      commandId: `act-${this.#acts}`,
      cause: 'test',
      actor: { kind: 'secret' as const },
      decide(ctx: DecisionContext, now: number) {
        // Every publish changes it.
        ctx.read(RELEASE);
        return { events: act(ctx, now), answer: null };
      },
    };
    await this.wait(this.project.execute(command)).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  }

  wait<T>(promise: Promise<T>): Promise<T> {
    return this.table.passing(promise, 1_000_000);
  }

  async events(): Promise<readonly ProjectEvent[]> {
    const stored = await this.table.log.inner.read(STREAM, { limit: 100_000, direction: 'forwards' });
    return stored.map((event) => readProjectEvent(event));
  }

  async #revisionsOf(subject: SubjectKey): Promise<readonly number[]> {
    const named = (await this.events()).filter((event) => indexedSubjects(event).has(subject));
    return named.map(({ revision }) => revision).reverse();
  }
}

export function publishing(target: PublishTarget, gold: number): Act {
  return (ctx) =>
    accepted(decideUpsertMany(ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS, 'collection', [definition(gold)], { target, replaceAll: false }))
      .events;
}
