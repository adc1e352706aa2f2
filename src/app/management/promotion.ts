import type { Promoted } from '../../contract/answers.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import type { Decision } from '../../domain/definition/push/publish-events.ts';
import { decidePromote, wideningFindings } from '../../domain/definition/release/promote.ts';
import {
  type ChangedCollection,
  changedCollections,
  collectionFindings,
  EMPTY_SCAN,
  earlierFindings,
  newCollections,
  type ScanFindings,
  UniqueScan,
  unseenFindings,
  unseenIn,
  vanishingFields,
  withDocument,
} from '../../domain/definition/release/stored-data.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { SchemaModel } from '../../domain/model.ts';
import { STAGED_SCOPES } from '../../domain/project/permissions.ts';
import type { DefinitionsState } from '../../domain/states.ts';
import { collectionSubject } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject, tryParseJson } from '../../kernel/json.ts';
import { yielding } from '../../kernel/scheduler.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type PublishContext, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import { DefinitionsChanged, onceUnchanged } from './once-unchanged.ts';
import { stagedDocuments } from './staged-documents.ts';
import type { SeenSchema } from './stored-documents.ts';

/** Promotion. Before it, stored data is checked against the staged definitions. */

export interface PromoteOptions {
  readonly dryRun: boolean;
  /** Promotes despite findings. */
  readonly force: boolean;
  /** An owner goes past the second person. */
  readonly breakGlass?: boolean;
}

interface Promoting extends PromoteOptions {
  /** Left out: whole schemas. */
  readonly seen?: SeenSchema;
}

/** Makes one publish of a decision. */
export type PublishBy = (decide: (access: AccessContext) => Decision<Promoted>) => Promise<ManageAnswer<Promoted>>;

/** Documents that one promotion checks, over all its collections. The rest is estimated. */
const MAX_DOCUMENTS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 5_000;
const PAGE = { rows: 500, bytes: 256 * 1024 };
/** Documents counted per collection at most. */
const MAX_COUNTED = 1_000_000;
/** Ledger entries of a collection that are searched for fields. */
const MAX_ENTRIES = 100_000;

/**
 * Promotes. Throws 409 PROMOTION_FINDINGS if stored documents or ledgers do not fit the staged definitions, unless `force`. A dry run
 * answers the findings.
 */
export async function promote(
  context: PublishContext,
  caller: Caller,
  options: Promoting,
  publish: PublishBy,
): Promise<ManageAnswer<Promoted>> {
  const project = await projectOf(context, caller);
  await project.refresh();
  return onceUnchanged(async () => {
    const { key, state: seen, settings } = accessAt(project, caller, 'live');
    requirePermissions(key, STAGED_SCOPES, 'rw');
    const { seen: schemaSeen = (_, schema) => schema } = options;
    const findings = await findingsOf(new PromotionCheck(context, project, settings.fillDefaults, schemaSeen), seen);
    const unseen = changedCollections(seen).flatMap(({ id, next }) =>
      next === null ? [] : unseenFindings(next, schemaSeen(id, next.schema)),
    );
    const ended = options.dryRun ? { nextDocuments: await stagedDocuments(context, project) } : {};
    return publish(({ state }) => {
      if (state.liveHash !== seen.liveHash || state.nextHash !== seen.nextHash) throw new DefinitionsChanged();
      const decision = decidePromote(state, options);
      const { answer } = decision;
      // What is opened is told, and was meant, and what nobody may be told of: it stops nothing.
      const told = [...findings, ...unseen, ...wideningFindings(state)];
      const events = withUnseen(decision.events, unseenIn(unseen));
      if (findings.length === 0 || options.force || options.dryRun) return { events, answer: { ...answer, ...ended, findings: told } };
      throw refusal('PROMOTION_FINDINGS', refusedMessage(findings), { body: { findings: told, changes: answer.changes } });
    });
  });
}

/** The publish says of which collections documents were not compared with personal fields. */
function withUnseen(events: readonly DomainEvent[], unseen: readonly string[]): readonly DomainEvent[] {
  if (unseen.length === 0) return events;
  return events.map((event) =>
    event.type === 'definitions.promoted' ? { ...event, data: { ...event.data, unseen: [...unseen] } } : event,
  );
}

function refusedMessage(findings: readonly JsonObject[]): string {
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more findings)` : '';
  return `Nothing was promoted: ${String(findings[0]?.['message'])}${more} Change what is staged or stored, or send "force": true`;
}

async function findingsOf(check: PromotionCheck, state: DefinitionsState): Promise<JsonObject[]> {
  const changed = changedCollections(state);
  const findings: JsonObject[] = [];
  for (const id of newCollections(state)) findings.push(...(await check.earlierIn(id)));
  for (const [index, collection] of changed.entries()) findings.push(...(await check.findingsIn(collection, changed.length - index)));
  return findings;
}

/** The documents that one promotion may check, shared by its collections. */
class PromotionCheck {
  readonly #context: PublishContext;
  readonly #project: Project;
  readonly #until: number;
  readonly #rest: () => Promise<void>;
  /** Whether readers see defaults. */
  readonly #fillsDefaults: boolean;
  readonly #seen: SeenSchema;
  #documents = MAX_DOCUMENTS;
  #bytes = MAX_BYTES;

  constructor(context: PublishContext, project: Project, fills: boolean, seen: SeenSchema) {
    this.#context = context;
    this.#project = project;
    this.#fillsDefaults = fills;
    this.#seen = seen;
    this.#until = context.scheduler.monotonic() + MAX_MS;
    this.#rest = yielding(context.scheduler);
  }

  /** `sharers`: collections that are still to be checked, including this one. */
  async findingsIn(collection: ChangedCollection, sharers: number): Promise<JsonObject[]> {
    const { views, limits } = this.#context;
    const { id } = this.#project;
    // Documents that players have just written count too.
    const changedAt = this.#project.set.collectionChangedAt(collectionSubject('live', collection.id));
    await views.caughtUp(id, changedAt, limits.viewWaitMs);
    const ledgerFields = await views.ledgerFields(id, collection.id, MAX_ENTRIES);
    const schema = collection.next === null ? null : this.#seen(collection.id, collection.next.schema);
    const unique = schema === null ? null : new UniqueScan(schema, this.#fillsDefaults);
    const seen = await this.#scanDocuments(collection.id, schema, sharers, unique);
    return collectionFindings(collection, seen, vanishingFields(collection, ledgerFields), unique);
  }

  /** What is stored under the id of a collection that live does not have. */
  async earlierIn(id: string): Promise<JsonObject[]> {
    const { views, limits } = this.#context;
    await views.caughtUp(this.#project.id, this.#project.set.collectionChangedAt(collectionSubject('live', id)), limits.viewWaitMs);
    return earlierFindings(id, await views.documentCount(this.#project.id, id, MAX_COUNTED), MAX_COUNTED);
  }

  async #scanDocuments(id: string, schema: SchemaModel | null, sharers: number, unique: UniqueScan | null): Promise<ScanFindings> {
    const { views, scheduler } = this.#context;
    const count = () => views.documentCount(this.#project.id, id, MAX_COUNTED);
    if (schema === null) return { ...EMPTY_SCAN, total: await count() };
    let seen = EMPTY_SCAN;
    const [room, bytes] = [Math.ceil(this.#documents / sharers), Math.ceil(this.#bytes / sharers)];
    const until = scheduler.monotonic() + (this.#until - scheduler.monotonic()) / sharers;
    let read = 0;
    for (let after = ''; ; ) {
      const page = await views.documentsAfter(this.#project.id, id, after, PAGE);
      const last = page.at(-1);
      if (last === undefined) break;
      for (const { key, text } of page) {
        const document = tryParseJson(text);
        read += text.length;
        if (document === undefined || !isObject(document)) continue;
        seen = withDocument(seen, schema, key, document);
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
