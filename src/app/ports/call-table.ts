import type { PublishTarget } from '../../domain/events.ts';

/**
 * The call log of all nodes, in one table. It is no read model: what it holds is in no log, so nothing can build it anew, and no decision
 * rests on it.
 */

/** An endpoint call, or another request that was refused or failed. */
export interface ServedRequest {
  /** Wall clock, ms. */
  readonly at: number;
  /** Of an endpoint call; else `null`. */
  readonly slug: string | null;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly status: number;
  /** `null`: a success. */
  readonly code: string | null;
  readonly message: string | null;
  /** Where a call was refused or failed, as `pay > charge > enough`; `null`: in no step, or it is no call. */
  readonly step: string | null;
  readonly ms: number;
  readonly platformId: string | null;
  readonly target: PublishTarget;
  readonly requestId: string;
  readonly revision: number | null;
}

/** Selects requests. `null`: whatever it is. */
export interface RequestFilter {
  readonly slug: string | null;
  readonly platformId: string | null;
  readonly errors: boolean;
  readonly status: number | null;
  readonly code: string | null;
  readonly requestId: string | null;
  /** Unix ms, included. */
  readonly from: number | null;
  /** Unix ms, not included. */
  readonly to: number | null;
}

/** Whether no call that succeeded can pass. */
export function isOfFailures({ errors, code, status }: RequestFilter): boolean {
  return errors || code !== null || (status ?? 0) >= 400;
}

/** A part of the time. Unix ms; the end is not included. */
export interface CallWindow {
  readonly from: number;
  readonly to: number;
}

/** Requests with the same outcome. */
export interface CallGroup extends Pick<ServedRequest, 'slug' | 'status' | 'code' | 'target'> {
  /** The route's pattern of what is no endpoint call; else `null`. */
  readonly route: string | null;
  readonly requests: number;
  /** Half of them took at most so many ms, and 95 of 100. */
  readonly p50: number;
  readonly p95: number;
  /** When the last was answered, unix ms. */
  readonly last: number;
}

/** Requests of a window by their outcome. */
export interface CallGroups {
  readonly groups: readonly CallGroup[];
  /** Back to when all are counted of each kind, unix ms; `null`: to the begin of the window. */
  readonly since: { readonly succeeded: number | null; readonly failed: number | null };
}

/** What is to be stored: a request, or the number of those of the project that were left out. */
export interface NewCall {
  readonly project: string;
  readonly request: ServedRequest | null;
  /** Of a request `null`. */
  readonly missed: number;
  /** Unix ms. */
  readonly at: number;
  /** A valid key was sent. Otherwise it is stored only if the project exists. */
  readonly isProven: boolean;
}

/** A stored request. `seq` grows in the order in which requests were stored, over all nodes. */
export interface StoredRequest extends ServedRequest {
  readonly seq: number;
}

/** The `seq` up to which a project was read, of each kind. `succeeded` null: calls that succeeded are not wanted. */
export interface ReadTo {
  readonly failed: number;
  readonly succeeded: number | null;
}

/** Something new in the table: a request, or the number of those that were left out. */
export interface NewRow {
  readonly project: string;
  readonly seq: number;
  readonly request: StoredRequest | null;
  readonly missed: number;
}

/** Begins behind the request that has this time and `seq`. */
export interface CallCursor {
  readonly at: number;
  readonly seq: number;
}

/** How much of each project is kept. */
interface CallBounds {
  /** Requests of each kind: calls that succeeded, and what was refused or failed. */
  readonly requests: number;
  /** Unix ms: older ones are not kept. */
  readonly since: number;
}

/** What one project has of one kind beyond the bounds: its oldest `requests`, and what is older than `since`. */
interface Surplus {
  readonly project: string;
  readonly failed: boolean;
  readonly requests: number;
  readonly since: number;
}

export interface CallTable {
  /** Stores these in one statement, in the order of every other node's. A failure may have stored them all. */
  append(calls: readonly NewCall[]): Promise<void>;
  /** The newest requests that pass, older than `before`; newest first. */
  page(
    project: string,
    filter: RequestFilter,
    page: { readonly limit: number; readonly before: CallCursor | null },
  ): Promise<readonly StoredRequest[]>;
  /** The newest requests of a window, at most `most` of each kind, grouped. */
  groups(project: string, window: CallWindow, most: number): Promise<CallGroups>;
  /** How many requests of the project were left out from `from` until before `to`. */
  missed(project: string, from: number, to: number): Promise<number>;
  /** The lowest and the highest `seq` of the project that are stored; `null`: nothing is. */
  ends(project: string): Promise<{ readonly first: number; readonly last: number } | null>;
  /** The newest requests that pass and were stored after `seq`, newest first, and how many there are up to `most`. */
  since(
    project: string,
    filter: RequestFilter,
    seq: number,
    page: { readonly limit: number; readonly most: number },
  ): Promise<{ readonly requests: readonly StoredRequest[]; readonly all: number }>;
  /** What was stored of these projects after each one's place, in order: at most `most` of each. */
  after(from: ReadonlyMap<string, ReadTo>, most: number): Promise<readonly NewRow[]>;
  /** Where more is stored than the bounds allow. */
  surplus(bounds: CallBounds): Promise<readonly Surplus[]>;
  /** Removes some of a surplus, oldest first, at most `most`. Resolves with how many it removed. */
  remove(surplus: Surplus, most: number): Promise<number>;
}
