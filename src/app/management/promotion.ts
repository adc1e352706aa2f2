import type { Promoted } from '../../contract/answers.ts';
import { decidePromote } from '../../domain/definition/promote.ts';
import type { Decision } from '../../domain/definition/publish.ts';
import {
  type ChangedCollection,
  changedCollections,
  collectionFindings,
  type Looked,
  looked,
  NOTHING_LOOKED_AT,
  UniqueLook,
  vanishingFields,
} from '../../domain/definition/stored-data.ts';
import { STAGED_SCOPES } from '../../domain/project/permissions.ts';
import type { DefinitionsState } from '../../domain/states.ts';
import { collectionSubject } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject, jsonIn } from '../../kernel/json.ts';
import { yielding } from '../../kernel/scheduler.ts';
import { type Grounds, grounds, requirePermission } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';

/** Promotion, with a look at what is stored before it (decision 30). */

export interface PromoteOptions {
  readonly dryRun: boolean;
  /** Promotes whatever is found. */
  readonly force: boolean;
}

/** Makes one publish of what is decided. */
export type PublishBy = (decide: (ground: Grounds) => Decision<Promoted>) => Promise<ManageAnswer<Promoted>>;

/** Of one promotion, over all its collections: what is not looked at is estimated. */
const MOST_DOCUMENTS = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_MS = 5_000;
const PAGE = { rows: 500, bytes: 256 * 1024 };
/** No collection is counted further. */
const MOST_COUNTED = 1_000_000;
/** Entries of a ledger that are looked at for the fields that they are of. */
const MOST_ENTRIES = 100_000;
/** Definitions that keep changing while what is stored is looked at. */
const TRIES = 3;

/**
 * Throws 409 PROMOTION_FINDINGS where stored documents or ledgers do not fit what is staged, unless `force` says that it may be so. A dry
 * run answers what it would find.
 */
export async function promote(
  context: AppContext,
  caller: Caller,
  options: PromoteOptions,
  publish: PublishBy,
): Promise<ManageAnswer<Promoted>> {
  const project = await projectOf(context, caller);
  await project.refresh();
  for (let turn = 0; turn < TRIES; turn += 1) {
    const { key, state: seen, settings } = grounds(project.authority, project.definitions, caller, 'live');
    for (const scope of STAGED_SCOPES) requirePermission(key, scope, 'rw');
    const findings = await findingsOf(new Look(context, project, settings.fillDefaults), seen);
    const promoting = publish(({ state }) => {
      if (state.liveHash !== seen.liveHash || state.nextHash !== seen.nextHash) throw new Overtaken();
      const decision = decidePromote(state, options);
      const { answer } = decision;
      if (findings.length === 0 || options.force || options.dryRun) return { ...decision, answer: { ...answer, findings } };
      throw refusal('PROMOTION_FINDINGS', refusedMessage(findings), { body: { findings, changes: answer.changes } });
    });
    const answer = await promoting.catch((error) => {
      if (error instanceof Overtaken) return null;
      throw error;
    });
    if (answer !== null) return answer;
  }
  throw refusal('WRITE_CONFLICT');
}

/** Another publish came between the look and the promotion. No refusal: it decides nothing that an Idempotency-Key would keep. */
class Overtaken extends Error {}

function refusedMessage(findings: readonly JsonObject[]): string {
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more findings)` : '';
  return `Nothing was promoted: ${String(findings[0]?.['message'])}${more} Change what is staged or stored, or send "force": true`;
}

async function findingsOf(look: Look, state: DefinitionsState): Promise<JsonObject[]> {
  const changed = changedCollections(state);
  const findings: JsonObject[] = [];
  for (const [index, collection] of changed.entries()) findings.push(...(await look.at(collection, changed.length - index)));
  return findings;
}

/** What one promotion may look at, shared by its collections. */
class Look {
  readonly #context: AppContext;
  readonly #project: Project;
  readonly #until: number;
  readonly #rest: () => Promise<void>;
  /** Whether readers see defaults. */
  readonly #fills: boolean;
  #documents = MOST_DOCUMENTS;
  #bytes = MOST_BYTES;

  constructor(context: AppContext, project: Project, fills: boolean) {
    this.#context = context;
    this.#project = project;
    this.#fills = fills;
    this.#until = context.scheduler.monotonic() + MOST_MS;
    this.#rest = yielding(context.scheduler);
  }

  /** `sharers`: collections that are still to be looked at, this one included. */
  async at(collection: ChangedCollection, sharers: number): Promise<JsonObject[]> {
    const { views, limits } = this.#context;
    const { id } = this.#project;
    // What players have just written counts as well.
    const changedAt = this.#project.set.collectionChangedAt(collectionSubject('live', collection.id));
    await views.caughtUp(id, changedAt, limits.viewWaitMs);
    const told = await views.ledgerFields(id, collection.id, MOST_ENTRIES);
    const unique = collection.next === null ? null : new UniqueLook(collection.next.schema, this.#fills);
    const seen = await this.#documentsOf(collection, sharers, unique);
    return collectionFindings(collection, seen, vanishingFields(collection, told), unique);
  }

  async #documentsOf({ id, next }: ChangedCollection, sharers: number, unique: UniqueLook | null): Promise<Looked> {
    const { views, scheduler } = this.#context;
    const count = () => views.documentCount(this.#project.id, id, MOST_COUNTED);
    if (next === null) return { ...NOTHING_LOOKED_AT, total: await count() };
    let seen = NOTHING_LOOKED_AT;
    const [room, bytes] = [Math.ceil(this.#documents / sharers), Math.ceil(this.#bytes / sharers)];
    const until = scheduler.monotonic() + (this.#until - scheduler.monotonic()) / sharers;
    let read = 0;
    for (let after = ''; ; ) {
      const page = await views.documentsAfter(this.#project.id, id, after, PAGE);
      const last = page.at(-1);
      if (last === undefined) break;
      for (const { key, text } of page) {
        const document = jsonIn(text);
        read += text.length;
        if (document === undefined || !isObject(document)) continue;
        seen = looked(seen, next.schema, key, document);
        unique?.add(key, document);
      }
      after = last.key;
      if (seen.documents >= room || read >= bytes || scheduler.monotonic() > until) {
        const total = await count();
        seen = { ...seen, total: total > seen.documents ? total : null };
        break;
      }
      await this.#rest();
    }
    this.#documents -= seen.documents;
    this.#bytes -= read;
    return seen;
  }
}
