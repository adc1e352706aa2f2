import type { CallGroups, CallWindow, RequestFilter, ServedRequest } from '../../app/app.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import type { Listener } from './listeners.ts';

/**
 * The call log: endpoint calls, and other requests that were refused or failed. Managers of a project read it. Where it is stored
 * (`stored.ts`), it is one over all nodes and outlives them; else each process keeps the last requests of its own (`memory.ts`).
 */
export interface CallLog {
  /** Notes a request. It never waits. `isProven`: a valid key of the project was sent. */
  note(project: string, request: ServedRequest, isProven: boolean): void;
  /** Counts requests of the project that are noted nowhere. */
  miss(project: string, missed: number): void;
  /** A page of requests, oldest first: the newest ones, or those before `page.cursor`. 400 VALIDATION_FAILED for a cursor that is none. */
  read(project: string, filter: RequestFilter, page: LogPage): Promise<LogRead>;
  /** Requests of a window by their outcome. */
  groups(project: string, window: CallWindow): Promise<GroupsRead>;
  /** What was noted so far, and what follows once {@link Following.start} is called. Throws 503 BUSY where too many follow. */
  follow(project: string, filter: RequestFilter, page: LogPage): Promise<Following>;
  /** Stores what waits, as long as the storage takes it. */
  close(): Promise<void>;
}

export interface LogPage {
  readonly limit: number;
  /** `cursor` of the page before; `null`: the newest requests. */
  readonly cursor: string | null;
  /** Only what came after the request with this id; `null`: whatever there is. */
  readonly after: string | null;
}

export interface LogRead {
  readonly requests: readonly LoggedRequest[];
  /** Of the next page, which is older; `null`: there is none. */
  readonly cursor: string | null;
  /** Requests of the project that were left out in the time of this page; `null`: an unknown number. */
  readonly missed: number | null;
  /** Only what this process has served, because the storage does not answer. */
  readonly isPartial: boolean;
}

export interface GroupsRead extends CallGroups, Pick<LogRead, 'missed' | 'isPartial'> {}

export interface Following extends Pick<LogRead, 'requests' | 'missed'> {
  /** Delivers what follows, until the returned function is called. */
  start(listener: Listener): () => void;
  /** Ends it before it has started. */
  cancel(): void;
}

/** Most requests of a page. */
export const MAX_PAGE = 200;
