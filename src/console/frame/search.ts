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

/** What lists of commits are narrowed by. */
export interface CommitFilters {
  readonly endpoint?: string | undefined;
  readonly kind?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function commitFiltersIn(search: Readonly<Record<string, unknown>>): CommitFilters {
  return { endpoint: textIn(search, 'endpoint'), kind: textIn(search, 'kind'), from: textIn(search, 'from'), to: textIn(search, 'to') };
}
