import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isNumber, isObject, type JsonObject, jsonEquals, toDouble } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { isThere, storedText } from '../document/packed.ts';
import type { AuthorityState, DocumentState } from '../states.ts';
import type { ProjectDecision } from './decide.ts';

/** What a project may store and report: the operator's limits, for all projects or for one. */

/** Whole numbers; 0: no end. */
export interface Quotas {
  /** Events of its log in a UTC day. */
  readonly eventsPerDay: number;
  /** Over all collections and spaces, records of global collections included. */
  readonly documents: number;
  /** UTF-8 bytes of their texts. */
  readonly bytes: number;
  /** Reports of players that are to be stored, in a minute of one process. */
  readonly telemetryPerMinute: number;
}

export type QuotaName = keyof Quotas;

export const NO_QUOTAS: Quotas = { eventsPerDay: 0, documents: 0, bytes: 0, telemetryPerMinute: 0 };
export const MOST_OF_A_QUOTA = 1e15;

/** A member of the stored settings that no rule of `settings.ts` knows: whoever manages the project neither sees nor changes it. */
const MEMBER = 'quotas';

export function isQuotaName(name: string): name is QuotaName {
  return Object.hasOwn(NO_QUOTAS, name);
}

/** Of one project: what the operator said of it, else what holds for all. `settings`: as they are stored. */
export function quotasOf(settings: JsonObject, ofAll: Quotas): Quotas {
  return { ...ofAll, ...ownQuotas(settings) };
}

export function sameQuotas(a: Quotas, b: Quotas): boolean {
  return Object.keys(NO_QUOTAS).every((name) => isQuotaName(name) && a[name] === b[name]);
}

/** What the operator said of this project. */
export function ownQuotas(settings: JsonObject): Partial<Quotas> {
  const own = member(settings, MEMBER);
  if (!isObject(own)) return {};
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) => (isQuotaName(name) && isNumber(value) ? [[name, toDouble(value)]] : [])),
  );
}

export type QuotaChanges = Readonly<Partial<Record<QuotaName, number | null>>>;

/** `null`: what holds for all holds for this project again. Refuses with VALIDATION_FAILED and NOT_FOUND. */
export function changeQuotas(state: AuthorityState | null, changes: QuotaChanges): ProjectDecision | Refusal {
  if (state === null || state.deleted) return refusal('NOT_FOUND', 'No such project');
  const before = ownQuotas(state.settings);
  const after: Record<string, number> = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    if (value !== null && !(Number.isSafeInteger(value) && value >= 0 && value <= MOST_OF_A_QUOTA))
      return refusal('VALIDATION_FAILED', `The quota '${name}' must be a whole number from 0, which is no end, to ${MOST_OF_A_QUOTA}`);
    if (value === null) delete after[name];
    else after[name] = value;
  }
  if (jsonEquals(before, after)) return { events: [] };
  return { events: [{ type: 'settings.changed', data: { changes: { [MEMBER]: after } } }] };
}

/** What a project holds, or what a write adds to it: less than nothing where it takes away. */
export interface Holding {
  readonly documents: number;
  readonly bytes: number;
}

export const NOTHING: Holding = { documents: 0, bytes: 0 };

export function plus(a: Holding, b: Holding): Holding {
  return { documents: a.documents + b.documents, bytes: a.bytes + b.bytes };
}

/** What a document's event adds. */
export function growthOf(before: DocumentState | null, after: DocumentState | null): Holding {
  return { documents: Number(isThere(after)) - Number(isThere(before)), bytes: bytesOf(after) - bytesOf(before) };
}

function bytesOf(state: DocumentState | null): number {
  return isThere(state) ? Buffer.byteLength(storedText(state)) : 0;
}

/** The quota that a write goes over; `null` where it stays within, or does not grow what the quota counts. */
export function exceeded(quotas: Pick<Quotas, keyof Holding>, held: Holding, growth: Holding): keyof Holding | null {
  const isOver = (name: keyof Holding) => quotas[name] > 0 && growth[name] > 0 && held[name] + growth[name] > quotas[name];
  if (isOver('documents')) return 'documents';
  return isOver('bytes') ? 'bytes' : null;
}
