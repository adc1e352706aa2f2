import { type Span, spanIn } from '../words/calls.ts';
import type { ListSearch } from '../words/collection.ts';
import { ENTRY_CLASSES, type EntriesFilter } from '../words/economy.ts';
import type { LooksAsked } from '../words/look.ts';
import { type TimelineFilters, whatIn } from '../words/timeline.ts';

/** Search parameters as plain text: an id of digits stays the text that it is. */

export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const kept = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  const text = new URLSearchParams(kept).toString();
  return text === '' ? '' : `?${text}`;
}

/** The text of a parameter, if it is there. */
export function textIn(search: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The same of a revision. */
function revisionIn(search: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const text = textIn(search, name) ?? '';
  return /^\d{1,15}$/.test(text) ? text : undefined;
}

/** What lists of commits are narrowed by. */
export interface CommitFilters {
  /** The id of a person or of a key. */
  readonly who?: string | undefined;
  readonly ticket?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly kind?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function commitFiltersIn(search: Readonly<Record<string, unknown>>): CommitFilters {
  return {
    who: textIn(search, 'who'),
    ticket: textIn(search, 'ticket'),
    endpoint: textIn(search, 'endpoint'),
    kind: textIn(search, 'kind'),
    from: textIn(search, 'from'),
    to: textIn(search, 'to'),
  };
}

export function timelineIn(search: Readonly<Record<string, unknown>>): TimelineFilters {
  return {
    what: whatIn(textIn(search, 'what')),
    endpoint: textIn(search, 'endpoint'),
    field: textIn(search, 'field'),
    from: textIn(search, 'from'),
    to: textIn(search, 'to'),
  };
}

/** What the page of the economy shows: a currency, days, and how rows are put together. */
export interface EconomySearch {
  readonly currency?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly by?: 'endpoint' | 'field' | undefined;
  readonly order?: 'inflow' | 'outflow' | undefined;
}

/** Which entries of the economy a list shows. */
export type EntriesSearch = Omit<EntriesFilter, 'currency'> & Pick<EconomySearch, 'currency' | 'from' | 'to'>;

export function entriesIn(search: Readonly<Record<string, unknown>>): EntriesSearch {
  const { direction } = search;
  return {
    currency: textIn(search, 'currency'),
    from: textIn(search, 'from'),
    to: textIn(search, 'to'),
    source: textIn(search, 'source'),
    endpoint: textIn(search, 'endpoint'),
    collection: textIn(search, 'collection'),
    field: textIn(search, 'field'),
    player: textIn(search, 'player'),
    direction: direction === 'in' || direction === 'out' ? direction : undefined,
    class: ENTRY_CLASSES.find((of) => of === search['class']),
    alarm: revisionIn(search, 'alarm'),
  };
}

export function economyIn(search: Readonly<Record<string, unknown>>): EconomySearch {
  const { by, order } = search;
  return {
    currency: textIn(search, 'currency'),
    from: textIn(search, 'from'),
    to: textIn(search, 'to'),
    by: by === 'endpoint' || by === 'field' ? by : undefined,
    order: order === 'inflow' || order === 'outflow' ? order : undefined,
  };
}

/** Which looks at players a list shows. */
export function looksIn(search: Readonly<Record<string, unknown>>): LooksAsked {
  const { of } = search;
  return { ...looksAtOneIn(search), player: textIn(search, 'player'), of: of === 'one' || of === 'many' ? of : undefined };
}

export function looksAtOneIn(search: Readonly<Record<string, unknown>>): Omit<LooksAsked, 'player' | 'of'> {
  return { person: textIn(search, 'person'), from: textIn(search, 'from'), to: textIn(search, 'to') };
}

/** What the page of calls shows. */
export interface CallsSearch {
  readonly slug?: string | undefined;
  readonly code?: string | undefined;
  readonly player?: string | undefined;
  /** `true`: what succeeded, too; `managers`: also what was refused to managers. */
  readonly all?: string | undefined;
  readonly span?: Span | undefined;
}

export function callsIn(search: Readonly<Record<string, unknown>>): CallsSearch {
  const [slug, code, player] = [textIn(search, 'slug'), textIn(search, 'code'), textIn(search, 'player')];
  return { slug, code, player, all: textIn(search, 'all'), span: spanIn(textIn(search, 'span')) };
}

/** What the page that tries endpoints shows. */
export interface TrySearch {
  readonly slug?: string | undefined;
  readonly player?: string | undefined;
  /** One came from what is staged, and looked there at live or next. */
  readonly back?: 'live' | 'next' | undefined;
}

export function listIn(search: Readonly<Record<string, unknown>>): ListSearch {
  const { order } = search;
  return {
    by: textIn(search, 'by'),
    order: order === 'asc' || order === 'desc' ? order : undefined,
    from: textIn(search, 'from'),
    to: textIn(search, 'to'),
    begins: textIn(search, 'begins'),
    is: textIn(search, 'is'),
    columns: textIn(search, 'columns'),
  };
}
