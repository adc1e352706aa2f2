import { fitting } from '../../contract/resources/member.ts';
import { type Quotas, quotas } from '../../contract/resources/quotas.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { isThere, storedText } from '../document/packed.ts';
import type { AuthorityState, DocumentState } from '../states.ts';
import type { ProjectDecision } from './decide.ts';

/** What a project may store and report: limits that the operator sets, for all projects or for one. */

export type { Quotas } from '../../contract/resources/quotas.ts';
export type QuotaName = keyof Quotas;

export const NO_QUOTAS: Quotas = { eventsPerDay: 0, documents: 0, bytes: 0, telemetryPerMinute: 0 };
const MAX_QUOTA = 1e15;

/** A member of the stored settings without a rule in `settings.ts`, so managers neither see nor change it. */
const MEMBER = 'quotas';

export function isQuotaName(name: string): name is QuotaName {
  return Object.hasOwn(NO_QUOTAS, name);
}

/** Quotas of one project: its own, else those of all projects. `settings`: as stored. */
export function quotasOf(settings: JsonObject, defaults: Quotas): Quotas {
  return { ...defaults, ...ownQuotas(settings) };
}

export function sameQuotas(a: Quotas, b: Quotas): boolean {
  return Object.keys(NO_QUOTAS).every((name) => isQuotaName(name) && a[name] === b[name]);
}

/** Quotas that the operator set for this project. An invalid one counts as not set. */
export function ownQuotas(settings: JsonObject): Partial<Quotas> {
  return quotas.parse(fitting(quotas.shape, settings[MEMBER]));
}

export type QuotaChanges = Readonly<Partial<Record<QuotaName, number | null>>>;

/** Sets quotas; `null`: the quota of all projects applies again. Refuses with VALIDATION_FAILED and NOT_FOUND. */
export function changeQuotas(state: AuthorityState | null, changes: QuotaChanges): ProjectDecision | Refusal {
  if (state === null || state.deleted) return refusal('NOT_FOUND', 'No such project');
  const before = ownQuotas(state.settings);
  const after: Record<string, number> = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    if (value !== null && !(Number.isSafeInteger(value) && value >= 0 && value <= MAX_QUOTA))
      return refusal('VALIDATION_FAILED', `The quota '${name}' must be a whole number from 0 (no limit) to ${MAX_QUOTA}`);
    if (value === null) delete after[name];
    else after[name] = value;
  }
  if (jsonEquals(before, after)) return { events: [] };
  return { events: [{ type: 'settings.changed', data: { changes: { [MEMBER]: after } } }] };
}

/** What a project stores, or what a write adds to it; negative where it removes. */
export interface Usage {
  readonly documents: number;
  readonly bytes: number;
}

export const NO_USAGE: Usage = { documents: 0, bytes: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { documents: a.documents + b.documents, bytes: a.bytes + b.bytes };
}

/** What an event of a document adds to the usage. */
export function growthOf(before: DocumentState | null, after: DocumentState | null): Usage {
  return { documents: Number(isThere(after)) - Number(isThere(before)), bytes: bytesOf(after) - bytesOf(before) };
}

function bytesOf(state: DocumentState | null): number {
  return isThere(state) ? Buffer.byteLength(storedText(state)) : 0;
}

/** The quota that a write exceeds; `null` if it exceeds none, or does not increase what the quota counts. */
export function exceeded(quotas: Pick<Quotas, keyof Usage>, held: Usage, growth: Usage): keyof Usage | null {
  const isOver = (name: keyof Usage) => quotas[name] > 0 && growth[name] > 0 && held[name] + growth[name] > quotas[name];
  if (isOver('documents')) return 'documents';
  return isOver('bytes') ? 'bytes' : null;
}
