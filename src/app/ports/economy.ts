import type { NameList } from '../../domain/economy/names.ts';
import type { EntryClass } from '../../domain/economy/parts.ts';
import type { Space } from '../../domain/events.ts';
import type { LedgerRow } from './ledger.ts';

/** What the use cases ask of the economy's read model. Amounts are JSON texts of exact numbers. Days count from 1970-01-01 UTC. */

export interface EconomyRange {
  readonly space: Space;
  readonly from: number;
  /** The last day, which belongs to it. */
  readonly to: number;
}

/** Which rows count; `null`: all. */
export interface FlowFilter {
  readonly currency: string | null;
  readonly collection: string | null;
  readonly field: string | null;
  readonly source: string | null;
  readonly endpoint: string | null;
}

/** Of an entry: what came in, or what went out. */
export type Direction = 'in' | 'out';

export type FlowGrouping = 'none' | 'source' | 'endpoint' | 'field' | 'day';
export type MoverOrder = 'net' | 'inflow' | 'outflow';

/** A page of rows: one more than `limit` if there are more. */
export interface EconomyPage<Row> {
  readonly revision: number;
  readonly rows: readonly Row[];
}

export interface EconomyDayRow {
  readonly currency: string;
  readonly day: number;
  readonly opening: string;
  readonly entries: number;
  readonly inflow: string;
  readonly outflow: string;
  readonly closing: string;
  readonly faucet: string;
  readonly sink: string;
  readonly transfer: string;
  readonly correctedIn: string;
  readonly correctedOut: string;
  readonly active: string | null;
  /** `null`, and so the next three, until the day is closed. */
  readonly holders: number | null;
  readonly topHolders: number | null;
  readonly topBalance: string | null;
  readonly share: number | null;
}

export interface EconomyDays extends EconomyRange {
  readonly currency: string | null;
  /** Day and currency of the last row of the page before. */
  readonly before: readonly [day: number, currency: string] | null;
  readonly limit: number;
}

export interface EconomyFlowRow {
  readonly currency: string;
  readonly day?: number;
  readonly collection?: string;
  readonly field?: string;
  readonly source?: string;
  readonly endpoint?: string;
  readonly correction?: boolean;
  /** What a page goes on after. */
  readonly key: readonly string[];
  readonly entries: number;
  readonly inflow: string;
  readonly outflow: string;
  readonly faucet: string;
  readonly sink: string;
  readonly players?: number;
}

export interface EconomyFlows extends EconomyRange, FlowFilter {
  readonly by: FlowGrouping;
  readonly after: readonly string[] | null;
  readonly limit: number;
}

export interface EconomyPlayerRow {
  readonly player: string;
  readonly entries: number;
  readonly inflow: string;
  readonly outflow: string;
  readonly net: string;
  /** The first 20 collections in which it moved something. */
  readonly collections: readonly string[];
}

export interface EconomyMovers extends EconomyRange, FlowFilter {
  readonly order: MoverOrder;
  /** Value and player of the last row of the page before. */
  readonly before: readonly [value: string, player: string] | null;
  readonly limit: number;
}

/** A ledger entry with where it stands. */
export interface EconomyEntryRow extends LedgerRow {
  readonly revision: number;
  readonly ordinal: number;
  readonly collection: string;
  readonly player: string;
  readonly key: string;
}

/** A place in the order of entries: time, revision, and the place within the commit. */
export type EntryPlace = readonly [at: number, revision: number, ordinal: number];

/** A part of a day, as somebody looked at it. */
interface EntryWindow {
  /** Unix ms, inclusive. */
  readonly from: number;
  /** Unix ms, exclusive. */
  readonly to: number;
  /** The last revision that counted. */
  readonly through: number;
}

export interface EconomyEntries extends EconomyRange, FlowFilter {
  readonly player: string | null;
  /** Only what came in, or only what went out; `null`: both. */
  readonly direction: Direction | null;
  /** Only where something of this class moved, which others may have moved; `null`: anywhere. */
  readonly class: EntryClass | null;
  /** Only of a part of these days; `null`: of all of it. */
  readonly within: EntryWindow | null;
  readonly before: EntryPlace | null;
  readonly limit: number;
}

export interface EconomyEntryPage {
  readonly revision: number;
  readonly entries: readonly EconomyEntryRow[];
  /** Where the next page goes on; `null` at the end. */
  readonly next: EntryPlace | null;
  /** Whether there are entries of sources that the days do not tell apart, which are not looked for. */
  readonly hasOthers: boolean;
  /** Of a class: the lists of names that are full, of the days of these entries. */
  readonly names: readonly (NameList & { readonly day: number })[];
}

export interface EconomySupplyRow {
  /** Whether the currency ever moved. */
  readonly known: boolean;
  readonly supply: string;
  readonly active: string;
  readonly holders: number;
  readonly topHolders: number;
  readonly topBalance: string;
  readonly share: number;
}

export interface EconomySupplyQuery {
  readonly space: Space;
  readonly currency: string;
  readonly today: number;
}

export interface EconomyHourQuery {
  readonly currency: string;
  readonly source: string | null;
  /** The day in which the hour lies. */
  readonly day: number;
  /** Unix ms, inclusive. */
  readonly from: number;
  /** Unix ms, exclusive. */
  readonly to: number;
  readonly over: number;
}

export interface EconomyHourRow {
  readonly player: string;
  readonly amount: string;
}

export interface AlarmRow {
  readonly revision: number;
  readonly alarm: string;
  readonly window: string;
  readonly currency: string;
  readonly source: string | null;
  readonly player: string | null;
  readonly amount: number;
  readonly threshold: number;
  /** Unix ms. */
  readonly at: number;
}

export interface AlarmPage {
  readonly revision: number;
  readonly alarms: readonly AlarmRow[];
  /** `before` of the next page; `null` at the end. */
  readonly next: number | null;
}

export interface EconomyReader {
  /** Days of currencies, the newest first. */
  economyDays(projectId: string, query: EconomyDays): Promise<EconomyPage<EconomyDayRow>>;
  economyFlows(projectId: string, query: EconomyFlows): Promise<EconomyPage<EconomyFlowRow>>;
  /** Players by what they moved, the largest first. */
  economyMovers(projectId: string, query: EconomyMovers): Promise<EconomyPage<EconomyPlayerRow>>;
  /** Entries of ledgers of all players, the newest first. */
  economyEntries(projectId: string, query: EconomyEntries): Promise<EconomyEntryPage>;
  /** The player for whom most of a currency came in within an hour, if it is more than `over`; of live. */
  economyHour(projectId: string, query: EconomyHourQuery): Promise<EconomyPage<EconomyHourRow>>;
  /** Raised alarms below the revision `before`, newest first. */
  alarms(projectId: string, page: { readonly before: number; readonly limit: number }): Promise<AlarmPage>;
  /** A currency as it is now: one row. */
  economySupply(projectId: string, query: EconomySupplyQuery): Promise<EconomyPage<EconomySupplyRow>>;
}
