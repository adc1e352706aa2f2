import type * as contract from '../../contract/answers.ts';
import { asTextOf, type TextOf } from '../../contract/values.ts';
import { visibleValues } from '../../domain/access/calls.ts';
import { PLAYER_ID } from '../../domain/access/data.ts';
import { listDefinitions, listGameValues, listRateLimitRules } from '../../domain/definition/pull/listing.ts';
import { differenceOf } from '../../domain/definition/release/difference.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import type { PastDocument } from '../../domain/document/past.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import type { DefinitionKind, PublishTarget, SaveRecord } from '../../domain/events.ts';
import type { ListedKind } from '../../domain/kinds.ts';
import { settingsBody } from '../../domain/project/settings.ts';
import { slotKey } from '../../domain/record/slot.ts';
import { notFound, type Refusal, refusal } from '../../kernel/errors.ts';
import { printOnce } from '../../kernel/json.ts';
import { requirePermissions } from '../access.ts';
import type { Address, DocumentAnswer, ManageAnswer, ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { viewsReached } from '../context.ts';
import type { ListingOf } from '../management/listings.ts';
import type { Past, PostedStep } from '../past/past.ts';
import type { Project } from '../project/project.ts';
import { versionIn } from '../storage/documents.ts';
import { filterAndPageOf, type LedgerQuery, printedLedger, refuseWho } from '../storage/ledger.ts';
import { slotEntry } from '../storage/save-records.ts';
import { type ChangesQuery, type Labels, lastOfPage, pageOfChanges, toldOf } from './changes.ts';
import {
  type AnswerOfPast,
  type HistoryContext,
  ofMoment,
  type PastData,
  pastData,
  pastDataIfAny,
  pastDefinitions,
  pastProject,
} from './moments.ts';

/** `read`: with the defaults that a reader saw; `stored`: as it was stored. */
export type PastView = 'read' | 'stored';

type OfPast<Answer> = Answer & AnswerOfPast;

/**
 * Reads as of a moment of the past: `at`, a revision or an ISO time. Each answers what the read of the same name answered then, by the
 * definitions and settings of then, and names the moment. All throw as `momentOf` and the reads of {@link Past} do, and 403 for who may not
 * read what was.
 */
export interface PastReads {
  /** `at` `null`: of now. */
  document(caller: Caller, address: Address, at: string | null, view: PastView): Promise<OfPast<DocumentAnswer>>;
  /** Changes of a document, newest first. `before`: a revision, as the page before names it. */
  history(caller: Caller, address: Address, query: ChangesQuery): Promise<OfPast<{ readonly result: contract.DocumentHistory }>>;
  /** `to` `null`: now. */
  compare(caller: Caller, address: Address, from: string, to: string | null): Promise<ReadAnswer<contract.DocumentComparison>>;
  exists(caller: Caller, address: Address, at: string): Promise<OfPast<{ readonly exists: boolean }>>;
  globalRecord(caller: Caller, address: Address, at: string | null, view: PastView): Promise<OfPast<DocumentAnswer<contract.GlobalRecord>>>;
  saveRecords(caller: Caller, address: Address, at: string): Promise<OfPast<{ readonly result: contract.SaveRecords }>>;
  ledger(caller: Caller, address: Address, query: LedgerQuery, at: string): Promise<OfPast<ReadAnswer<contract.Ledger>>>;
  values(caller: Caller, target: PublishTarget, at: string): Promise<OfPast<ReadAnswer<contract.GameValues>>>;
  list(caller: Caller, kind: ListedKind, options: ListingOf, at: string): Promise<OfPast<ManageAnswer<contract.Listing>>>;
  gameValues(caller: Caller, options: ListingOf, at: string): Promise<OfPast<ManageAnswer<contract.StoredValues>>>;
  rateLimitRules(caller: Caller, options: ListingOf, at: string): Promise<OfPast<ManageAnswer<contract.StoredRules>>>;
  settings(caller: Caller, at: string): Promise<OfPast<ManageAnswer<contract.Settings>>>;
}

export function createPastReads(context: HistoryContext): PastReads {
  const { past } = context;

  /** At the head nothing is folded: of a large document that changed part by part, that takes every event since it was written whole. */
  const documentAt = async (project: Project, at: Parameters<Past['documentAt']>[1], revision: number) => {
    if (revision !== project.set.head) return past.documentAt(project, at, revision);
    const { state } = (await versionIn(project, at.space, at.collection, at.key)).version;
    // It was read from the database meanwhile, and something may have come.
    if (revision !== project.set.head) return past.documentAt(project, at, revision);
    return state !== null && 'version' in state ? state : null;
  };

  const documentOf = async (read: PastData, key: string, view: PastView) => {
    const { project, access, collection, moment } = read;
    const found = await past.documentAt(project, { space: access.space, collection: collection.id, key }, moment.revision);
    if (found === null || found.document === null) throw noDocument(found, moment.revision);
    const { document, version } = found;
    const fills = view === 'read' && access.settings.fillDefaults;
    const text = await context.roundRobin.run(project.id, () => printOnce(fills ? fillDefaults(collection.schema, document) : document));
    return { ...ofMoment(moment), text, version };
  };

  /** A document as a reader saw it; `{}`: there was none. */
  const seenAt = async (caller: Caller, address: Address, at: string | null, name: string) => {
    const { project, access, collection, moment } = await pastDataIfAny(context, caller, 'document.read', address, at, name);
    if (collection === undefined) return { project, document: {}, side: { ...ofMoment(moment).at, version: null } };
    const found = await documentAt(project, { space: access.space, collection: collection.id, key: address.key }, moment.revision);
    const stored = found?.document ?? null;
    const document = stored !== null && access.settings.fillDefaults ? fillDefaults(collection.schema, stored) : (stored ?? {});
    return { project, document, side: { ...ofMoment(moment).at, version: stored === null ? null : (found?.version ?? null) } };
  };

  const listing = async <Result extends object>(
    caller: Caller,
    kind: DefinitionKind,
    options: ListingOf,
    at: string,
    list: (state: Parameters<typeof listDefinitions>[0], options: Parameters<typeof listDefinitions>[2]) => Result,
  ) => {
    const { access, moment } = await pastDefinitions(context, caller, [kind], options.target ?? 'live', at);
    const { endpointRateLimits } = access.settings;
    const result = list(access.state, { ...options, projectId: caller.projectId, endpointRateLimits: endpointRateLimits ?? null });
    const answer = ofMoment(moment);
    return { ...answer, result: { ...result, at: answer.at } };
  };

  return {
    async document(caller, address, at, view) {
      requireKey(address);
      const found = await documentOf(await pastData(context, caller, 'document.read', address, at), address.key, view);
      return { ...found, text: asTextOf<contract.Document>(found.text) };
    },

    async history(caller, address, { at, limit, before }) {
      requireKey(address);
      const read = await pastData(context, caller, 'document.read', address, at);
      const { project, access, collection, moment } = read;
      const from = lastOfPage(moment, before);
      const place = { space: access.space, collection: collection.id, key: address.key };
      const found = await past.documentSteps(project, place, from, limit);
      return pageOfChanges(context, read, found, limit, (step, publish, labels) =>
        context.roundRobin.run(project.id, () => changeOf(step, publish, read.caller, labels)),
      );
    },

    async compare(caller, address, from, to) {
      requireKey(address);
      const [one, other] = [await seenAt(caller, address, from, 'from'), await seenAt(caller, address, to, 'to')];
      const { fields, more } = await context.roundRobin.run(other.project.id, () => differenceOf(one.document, other.document, () => true));
      const result = { ok: true as const, from: one.side, to: other.side, fields, ...(more === undefined ? {} : { more }) };
      return { position: other.side.revision, stale: false, result };
    },

    async exists(caller, address, at) {
      requireKey(address);
      const { project, access, collection, moment } = await pastData(context, caller, 'document.read', address, at);
      const change = await past.lastChangeAt(
        project,
        { space: access.space, collection: collection.id, key: address.key },
        moment.revision,
      );
      return { ...ofMoment(moment), exists: change !== null && !change.isDeleted };
    },

    async globalRecord(caller, address, at, view) {
      requireKey(address);
      const read = await pastData(context, caller, 'document.read', address, at);
      if (read.collection.type !== 'global') throw notFound('record', 'No record under this key');
      const found = await documentOf(read, address.key, view);
      return { ...found, text: asTextOf<contract.GlobalRecord>(found.text) };
    },

    async saveRecords(caller, address, at) {
      const read = await pastData(context, caller, 'slots.read', address, at);
      const { project, access, collection, moment } = read;
      const { key: player } = address;
      if (!PLAYER_ID.test(player)) throw refusal('INVALID_KEY');
      const list = await past.recordsAt(project, access.space, collection.id, player, moment.revision);
      const savedAt = async ({ recordId }: SaveRecord) => {
        const place = { space: access.space, collection: collection.id, key: slotKey(player, recordId) };
        const change = await past.lastChangeAt(project, place, moment.revision);
        return change === null || change.isDeleted ? 0 : change.at;
      };
      const records = await Promise.all(list.map(async (record) => slotEntry(record, await savedAt(record))));
      const answer = ofMoment(moment);
      return { ...answer, result: { ok: true, records, maxRecords: collection.maxRecords, at: answer.at } };
    },

    async ledger(caller, address, query, at) {
      const { project, access, collection, moment } = await pastData(context, caller, 'ledger.read', address, at);
      refuseWho(query, caller);
      const { filter, page, field } = filterAndPageOf(access, collection, address, query);
      if (!(await viewsReached(context, project, 'ledger', moment.revision, VIEW_WAIT_MS))) throw refusal('BEHIND');
      const found = await context.views.ledger(project.id, { ...filter, through: moment.revision }, page);
      const answer = ofMoment(moment);
      const print = () => printedLedger({ ...query, field, at: answer.at }, found, collection.id, address.key);
      return { ...answer, result: await context.roundRobin.run(project.id, print) };
    },

    async values(caller, target, at) {
      const { project, access, moment } = await pastProject(context, caller, target, at);
      const { values } = visibleValues(access, caller);
      const answer = ofMoment(moment);
      const print = () => asTextOf<contract.GameValues>(printOnce({ ok: true, ...values, at: answer.at }));
      const result: TextOf<contract.GameValues> = await context.roundRobin.run(project.id, print);
      return { ...answer, result };
    },

    list: (caller, kind, options, at) => listing(caller, kind, options, at, (state, asked) => listDefinitions(state, kind, asked)),
    gameValues: (caller, options, at) => listing(caller, 'game-values', options, at, listGameValues),
    rateLimitRules: (caller, options, at) => listing(caller, 'rate-limit-rules', options, at, listRateLimitRules),

    async settings(caller, at) {
      const { access, moment } = await pastProject(context, caller, 'live', at);
      requirePermissions(access.key, ['settings'], 'r');
      const answer = ofMoment(moment);
      return { ...answer, result: { ...settingsBody(caller.projectId, access.authority), at: answer.at } };
    },
  };
}

const ACTIONS = { 'document.written': 'written', 'document.deleted': 'deleted', 'record.appended': 'appended' } as const;

function changeOf(
  { event, before, after, entries }: PostedStep,
  publish: number | null,
  caller: Caller,
  labels: Labels,
): contract.DocumentHistory['changes'][number] {
  const { data, type, revision, metadata } = event;
  const isKnown = before !== undefined && after !== undefined;
  const { fields, more } = isKnown ? differenceOf(before ?? {}, after ?? {}, () => true) : {};
  return {
    ...toldOf(event, caller, labels),
    commit: revision + (metadata.left ?? 0),
    action: ACTIONS[type],
    version: 'version' in data ? data.version : 1,
    publish,
    ...(fields === undefined ? {} : { fields }),
    ...(more === undefined ? {} : { more }),
    ledger: entries.map(({ reason, ...entry }) => ({ ...entry, ...(reason === undefined ? {} : { reason }) })),
  };
}

/** How long a ledger waits for its view, ms. */
const VIEW_WAIT_MS = 5_000;

function requireKey({ key }: Address): void {
  if (!DOCUMENT_KEY.test(key)) throw notFound('document', 'No document under this key');
}

function noDocument(found: PastDocument | null, revision: number): Refusal {
  const why = found === null ? 'there was none yet' : `it had been deleted at revision ${found.changedAt}`;
  return notFound('document', `No document under this key at revision ${revision}: ${why}`);
}
