import { randomBytes } from 'node:crypto';
import { CAUSE } from '../../../domain/correction/causes.ts';
import { effectiveDefinitions } from '../../../domain/definition/model/effective.ts';
import { definitionOf } from '../../../domain/definition/model/overlay.ts';
import { sortedFields } from '../../../domain/definition/model/sorted-fields.ts';
import { current, type Put, publishEvents, putOf } from '../../../domain/definition/push/publish-events.ts';
import { updateLedger } from '../../../domain/document/ledger-update.ts';
import { reachedBy } from '../../../domain/document/reached.ts';
import { ReadDocument } from '../../../domain/document/read-document.ts';
import { WITHOUT_DEFAULTS } from '../../../domain/document/schema.ts';
import { unfollowedFault } from '../../../domain/document/unfollowed.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import { datedRules, sentRules } from '../../../domain/limit/rules.ts';
import type { CollectionModel } from '../../../domain/model.ts';
import { type AdoptKey, adoptKey } from '../../../domain/project/decide.ts';
import { slotOf } from '../../../domain/record/slot.ts';
import type { DefinitionsState, DocumentState } from '../../../domain/states.ts';
import { AUTHORITY, documentSubject, RELEASE, recordListSubject } from '../../../domain/subjects.ts';
import { accepted, refusal } from '../../../kernel/errors.ts';
import { jsonEquals, printOnce, tryParseJson } from '../../../kernel/json.ts';
import { operatorAccess } from '../../access.ts';
import { firstTexts } from '../../management/publish-whole.ts';
import { UniqueSurvey } from '../../management/unique-survey.ts';
import { type Decision, newCommandId } from '../../project/commit.ts';
import type { DecisionContext } from '../../project/decision-context.ts';
import type { Projects } from '../../project/projects.ts';
import { documentIn, recordListIn } from '../../project/state-access.ts';
import { UniqueClaims } from '../../project/unique-claims.ts';
import { openProject } from '../open-project.ts';
import type { DocumentRow, SlotRow } from './rows.ts';

/**
 * Writes an import through the log, in commits of its own. No rule, schema or limit applies: the data was accepted once. What exists
 * already is not written again, so an import that broke off can be repeated.
 */
export interface Importer {
  /** Definitions of an open project, at the head of the log. Throws NOT_FOUND. */
  definitions(projectId: string): Promise<DefinitionsState>;
  /** Publishes everything at once. Throws 409 `UNIQUE_VIOLATION` if documents of the project clash in a field that becomes unique. */
  publish(projectId: string, puts: readonly Put[]): Promise<Imported>;
  documents(projectId: string, collection: string, rows: readonly DocumentRow[]): Promise<Imported>;
  /** Documents with a number that the ledger should follow and cannot: a write would be refused, an import takes them as they are. */
  unfollowed(projectId: string, collection: string, rows: readonly DocumentRow[]): Promise<readonly Unfollowed[]>;
  slots(projectId: string, collection: string, rows: readonly SlotRow[]): Promise<Imported>;
  keys(projectId: string, keys: readonly AdoptKey[]): Promise<Imported>;
  /** Revision up to which everything written is known here; −1 for a project that is not open. */
  head(projectId: string): number;
  /** Call this when the read models show `revision`: subjects changed up to there need not stay in memory. */
  shown(projectId: string, revision: number): void;
}

export interface Imported {
  /** Number of items that were missing or different. */
  readonly written: number;
  /** Number of events that were stored, the last of them at `revision`. */
  readonly events: number;
  readonly revision: number;
}

/** A document with a number that no ledger follows. */
export interface Unfollowed {
  readonly collection: string;
  readonly key: string;
  /** Which number, and why. */
  readonly message: string;
}

/** Source of an import's ledger entries, which have no operation and no endpoint. */
const SOURCE = 'import';
const MAX_DOCUMENT = 16 * 1024 * 1024;

export function createImporter(projects: Projects): Importer {
  const open = (projectId: string) => openProject(projects, projectId);

  const commit = (projectId: string, decide: Decide) => commitImport(projects, projectId, decide);

  return {
    definitions: async (projectId) => (await open(projectId)).definitions,

    publish: async (projectId, puts) =>
      publish((decide) => commit(projectId, decide), new UniqueSurvey(projects.peek(projectId) ?? (await open(projectId))), puts),

    documents: (projectId, collection, rows) => commit(projectId, (ctx) => decideDocuments(ctx, collection, rows)),

    async unfollowed(projectId, id, rows) {
      const { definitions } = await open(projectId);
      const collection = effectiveDefinitions(definitions, 'live').collection(id);
      if (collection === undefined) return [];
      return rows.flatMap(({ key, document }) => {
        const message = unfollowedFault(collection.schema, document);
        return message === null ? [] : [{ collection: id, key, message }];
      });
    },

    slots: (projectId, collection, rows) => commit(projectId, (ctx) => decideSlots(ctx, collection, rows)),

    async keys(projectId, keys) {
      let imported: Imported = { written: 0, events: 0, revision: -1 };
      for (const key of keys) {
        const keyId = `key_${randomBytes(8).toString('hex')}`;
        const { written, events, revision } = await commit(projectId, (ctx) => {
          const { events } = accepted(adoptKey(ctx.read(AUTHORITY), keyId, key));
          return { events, answer: Math.min(events.length, 1) };
        });
        imported = { written: imported.written + written, events: imported.events + events, revision };
      }
      return imported;
    },

    head: (projectId) => projects.peek(projectId)?.set.head ?? -1,

    shown: (projectId, revision) => projects.projected(projectId, revision),
  };
}

type Decide = (ctx: DecisionContext, now: number) => Decision<number>;

/** `decide` answers how many items it writes. */
async function commitImport(projects: Projects, projectId: string, decide: Decide): Promise<Imported> {
  const project = projects.peek(projectId) ?? (await openProject(projects, projectId));
  const command = { commandId: newCommandId(), cause: CAUSE.import, actor: { kind: 'operator' as const } };
  const counted = (ctx: DecisionContext, now: number) => {
    const { events, answer } = decide(ctx, now);
    return { events, answer: { written: answer, events: events.length } };
  };
  const { answer, revision } = await project.execute({ ...command, decide: counted });
  return { ...answer, revision };
}

/** Publishes in as many commits as it takes: texts that are too long for the publish are stored before it. */
async function publish(commit: (decide: Decide) => Promise<Imported>, survey: UniqueSurvey, puts: readonly Put[]): Promise<Imported> {
  for (;;) {
    const publishing = commit((ctx, now) => {
      const access = accessOf(ctx);
      // Every publish changes it.
      ctx.read(RELEASE);
      const dated = puts.map((put) => (put.kind === 'rate-limit-rules' ? datedPut(access.state, put, now) : put));
      const events = publishEvents(access.state, 'live', dated);
      const first = firstTexts(events);
      if (first !== null) return { events: first, answer: TEXTS };
      // What the project has besides the file keeps its unique values, as in any other publish.
      return { events: [...events, ...survey.claims(ctx, access, events)], answer: changesIn(events) };
    });
    const done = await publishing.catch(async (error: unknown) => {
      if (await survey.loadRequested(error)) return null;
      throw error;
    });
    if (done !== null && done.written !== TEXTS) return done;
  }
}

/** The commit stored only texts; the publish is still to come. */
const TEXTS = -1;

const accessOf = operatorAccess('live');

/** Gives rate-limit rules the times since which rules with their ids exist in this project: the file does not know those times. */
function datedPut(state: DefinitionsState, { kind, id, text }: Put, now: number): Put {
  const held = current(state, 'live', kind, id);
  return putOf(kind, id, datedRules(sentRules(tryParseJson(text) ?? null), held === undefined ? null : definitionOf(held), now));
}

function changesIn(events: readonly DomainEvent[]): number {
  const last = events.at(-1);
  return last?.type === 'definitions.published' ? last.data.changes.length : 0;
}

/** A document of a slot that is missing in its player's list is added to the list: older exports hold no lists. */
function decideDocuments(ctx: DecisionContext, id: string, rows: readonly DocumentRow[]): Decision<number> {
  const access = accessOf(ctx);
  const { definitions, settings } = access;
  const collection = definitions.collection(id);
  if (collection === undefined) throw refusal('NOT_FOUND', `There is no collection ${id}`);
  const reads = settings.fillDefaults ? collection.schema : WITHOUT_DEFAULTS;
  // A key that comes twice is written once, with its last value.
  const latest = [...new Map(rows.map((row) => [row.key, row])).values()];
  ctx.expect(latest.map(({ key }) => documentSubject('live', collection.id, key)));
  const slots = latest.flatMap(({ key }) => slotOf(collection, key) ?? []);
  ctx.expect([...new Set(slots.map(({ player }) => recordListSubject('live', collection.id, player)))]);
  const claims = new UniqueClaims(ctx, access, (id, key) => documentIn(ctx, 'live', id, key));
  const events = latest.flatMap(({ key, document }): DomainEvent[] => {
    const current: DocumentState | null = documentIn(ctx, 'live', collection.id, key).state;
    const before = current?.document ?? null;
    if (before !== null && jsonEquals(before, document)) return [];
    if (printOnce(document).length > MAX_DOCUMENT) throw refusal('PAYLOAD_TOO_LARGE', `The document ${key} is too large`);
    const was = before === null ? null : new ReadDocument(reads, before);
    const after = new ReadDocument(reads, document);
    const from = () => was?.asRead ?? null;
    const ledger = updateLedger({ collection, current, source: SOURCE }, from, after);
    const about = { space: 'live' as const, collection: collection.id, key, version: (current?.version ?? 0) + 1, document };
    const reached = reachedBy(sortedFields(access.state, collection.id), was, after);
    const data = { ...about, definition: collection.hash, reached };
    // The data was accepted once, so a value that another document holds stays with that document.
    const unique = claims.change(collection, key, was, after, true);
    return [{ type: 'document.written', data: unique === undefined ? data : { ...data, unique }, ledger }];
  });
  const lists = slots.map(({ player, recordId }) => ({ player, records: [{ recordId, recordName: 'Save' }] }));
  return { events: [...events, ...missingSlots(ctx, collection, lists)], answer: events.length };
}

/** Adds slots that are missing, by their ids. Existing ones keep their names. */
function decideSlots(ctx: DecisionContext, id: string, rows: readonly SlotRow[]): Decision<number> {
  const collection = accessOf(ctx).definitions.collection(id);
  if (collection === undefined) throw refusal('NOT_FOUND', `There is no collection ${id}`);
  ctx.expect([...new Set(rows.map(({ player }) => recordListSubject('live', collection.id, player)))]);
  const events = missingSlots(ctx, collection, rows);
  return { events, answer: events.length };
}

function missingSlots(ctx: DecisionContext, collection: CollectionModel, rows: readonly SlotRow[]): readonly DomainEvent[] {
  const known = new Set<string>();
  return rows.flatMap(({ player, records }) => {
    for (const { recordId } of recordListIn(ctx, 'live', collection.id, player).records) known.add(`${player}/${recordId}`);
    return records.flatMap(({ recordId, recordName }): DomainEvent[] => {
      if (known.has(`${player}/${recordId}`)) return [];
      known.add(`${player}/${recordId}`);
      const data = { space: 'live' as const, collection: collection.id, player, recordId, recordName, definition: collection.hash };
      return [{ type: 'record.created', data }];
    });
  });
}
