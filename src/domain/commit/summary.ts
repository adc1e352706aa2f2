import { addDecimals } from '../../kernel/json-number.ts';
import { type ExactNumber, isNumber, type Json, type JsonObject } from '../../kernel/json-value.ts';
import { getPath } from '../../kernel/path.ts';
import { isDocumentEvent, keyOf } from '../document/evolve.ts';
import { CORRECTION } from '../document/sources.ts';
import type { Actor, Change, ProjectEvent, PublishTarget, Space } from '../events.ts';
import { playersIn } from './named.ts';

/** What a commit did, as somebody reads it who looks for a cause. */
export interface CommitSummary {
  readonly cause: string;
  readonly actor: Actor;
  /** Unix ms. */
  readonly at: number;
  /** By what its request is known. */
  readonly requestId: string;
  /** Types of its events, each once, in their order. */
  readonly types: readonly string[];
  /** Where it changed definitions or data: in next, as soon as anything of next is among them; `null`: neither. */
  readonly target: PublishTarget | null;
  readonly players: readonly string[];
  readonly documents: readonly TouchedDocument[];
  readonly money: readonly MovedMoney[];
  /** Of the call that made it, where its endpoint keeps that. */
  readonly input: RecordedInput | null;
  /** Why somebody put something right, pressed a button, published or asked for that, or changed settings or keys; `null`: nobody said. */
  readonly why: StatedWhy | null;
  /** Data of an event were redacted, so something is missing here. */
  readonly isRedacted: boolean;
}

export interface StatedWhy {
  /** Empty where a ticket alone was named. */
  readonly reason: string;
  readonly ticket?: string;
  /** What stood on the button. */
  readonly button?: string;
  /** Of an undo: the commit that it undoes, by its last revision. */
  readonly undone?: number;
}

interface RecordedInput {
  readonly value: JsonObject;
  /** Members that were left out. */
  readonly left: number;
}

interface TouchedDocument {
  readonly space: Space;
  readonly collection: string;
  readonly key: string;
  readonly change: 'written' | 'deleted' | 'appended';
  /** What its fields became, each once, as far as its last write changed it in parts. */
  readonly fields: ReadonlyMap<string, Json>;
}

/** What the ledgers of one document and field gained or lost, together. */
interface MovedMoney {
  readonly player: string;
  readonly collection: string;
  readonly key: string;
  readonly field: string;
  readonly delta: number | ExactNumber;
}

const CHANGES = { 'document.written': 'written', 'document.deleted': 'deleted', 'record.appended': 'appended' } as const;

/** Whether a collection is shared: its documents are no player's. */
export type IsShared = (collection: string) => boolean;

/** `events`: of the whole commit, at least one. */
export function summaryOf(events: readonly ProjectEvent[], isShared: IsShared = () => false): CommitSummary {
  const last = events.at(-1);
  if (last === undefined) throw new Error('a commit has at least one event');
  const { cause, actor, recordedAt, commandId } = last.metadata;
  const named = events.find(({ metadata }) => metadata.requestId !== undefined)?.metadata.requestId;
  const players = new Set(events.filter((event) => !isDocumentEvent(event) || !isShared(event.data.collection)).flatMap(playersIn));
  if (actor.player !== undefined) players.add(actor.player);
  return {
    cause,
    actor,
    at: recordedAt,
    requestId: named ?? commandId,
    types: [...new Set(events.map(({ type }) => type))],
    target: targetChanged(events),
    players: [...players],
    documents: documentsOf(events),
    money: moneyOf(events),
    input: inputOf(events),
    why: whyOf(events),
    isRedacted: events.some(({ type }) => type === 'log.redacted'),
  };
}

/** Where a commit changed definitions or data. */
export function targetChanged(events: readonly ProjectEvent[]): PublishTarget | null {
  const targets = events.map(targetIn);
  return targets.includes('next') ? 'next' : (targets.find((target) => target !== null) ?? null);
}

function targetIn({ type, data }: ProjectEvent): PublishTarget | null {
  switch (type) {
    case 'definitions.published':
      return data.target;
    case 'definitions.promoted':
    case 'definitions.rolledBack':
      return 'live';
    case 'definitions.nextRenewed':
      return 'next';
    default:
      return 'space' in data ? (data.space === 'live' ? 'live' : 'next') : null;
  }
}

function whyOf(events: readonly ProjectEvent[]): StatedWhy | null {
  // What it says of the commit tells the ticket, too.
  const made = events.find(({ type }) => type === 'correction.made');
  for (const event of made === undefined ? events : [made]) {
    const why = whyIn(event);
    if (why !== undefined) return why;
  }
  return null;
}

/** A studio says why it writes; what players say in their writes, and a game in its steps, is for the ledger alone. */
function isStudioWrite({ cause, actor }: ProjectEvent['metadata']): boolean {
  return cause === 'document.write' && actor.kind !== 'public';
}

function whyIn({ type, data, metadata }: ProjectEvent): StatedWhy | undefined {
  switch (type) {
    case 'document.written': {
      const isTold = isStudioWrite(metadata);
      const reason = data.ops?.find(({ source, reason }) => (isTold || source === CORRECTION) && reason !== undefined)?.reason;
      return reason === undefined ? undefined : { reason };
    }
    case 'button.pressed':
    case 'correction.made': {
      const { reason, ticket } = data;
      const told = { reason, ...(ticket === undefined ? {} : { ticket }) };
      if (type === 'button.pressed') return { ...told, button: data.label };
      const [undone] = data.undone?.find(([, isUndone]) => isUndone) ?? [];
      return undone === undefined ? told : { ...told, undone };
    }
    case 'definitions.published':
    case 'definitions.promoted':
    case 'definitions.rolledBack':
    case 'promotion.scheduled':
    case 'project.created':
    case 'project.deleted':
    case 'settings.changed':
    case 'key.issued':
    case 'key.changed':
    case 'key.revoked':
      return saidIn({ ...data, reason: data.message });
    case 'approval.commented':
      return saidIn({ ...data, reason: data.text });
    case 'promotion.unscheduled':
    case 'promotion.missed':
      return saidIn(data);
    default:
      return undefined;
  }
}

/** `undefined`: neither a reason nor a ticket. */
function saidIn({ reason = '', ticket }: { readonly reason?: string | undefined; readonly ticket?: string }): StatedWhy | undefined {
  return reason === '' && ticket === undefined ? undefined : { reason, ...(ticket === undefined ? {} : { ticket }) };
}

function inputOf(events: readonly ProjectEvent[]): RecordedInput | null {
  const recorded = events.find((event) => event.type === 'call.recorded');
  return recorded === undefined ? null : { value: recorded.data.input, left: recorded.data.left ?? 0 };
}

function documentsOf(events: readonly ProjectEvent[]): readonly TouchedDocument[] {
  const touched = new Map<string, TouchedDocument>();
  for (const event of events) {
    if (!isDocumentEvent(event)) continue;
    const { space, collection } = event.data;
    const key = keyOf(event);
    const at = `${space}/${collection}/${key}`;
    touched.set(at, { space, collection, key, change: CHANGES[event.type], fields: fieldsAfter(touched.get(at)?.fields, event) });
  }
  return [...touched.values()];
}

/** A document that was replaced as a whole says nothing of what changed. */
function fieldsAfter(before: TouchedDocument['fields'] | undefined, { type, data }: ProjectEvent): TouchedDocument['fields'] {
  if (type !== 'document.written') return new Map();
  const { document, changes, ops } = data;
  // What such an operation found there may have stayed.
  const asked = ops?.filter(({ op }) => op !== 'set_if_null');
  const after = changes ?? asked?.map(({ path }): Change => [path, (document && getPath(document, path)) ?? null]);
  return after === undefined ? new Map() : new Map([...(before ?? []), ...after]);
}

function moneyOf(events: readonly ProjectEvent[]): readonly MovedMoney[] {
  const moved = new Map<string, MovedMoney>();
  for (const event of events) {
    if (event.type !== 'ledger.posted') continue;
    for (const { collection, key, player, entries } of event.data.postings) {
      for (const { field, delta } of entries) {
        if (!isNumber(delta)) continue;
        const at = `${collection}/${key}/${field}`;
        const before = moved.get(at)?.delta ?? 0;
        moved.set(at, { player, collection, key, field, delta: addDecimals(before, delta) });
      }
    }
  }
  return [...moved.values()];
}
