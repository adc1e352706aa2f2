import type { JsonObject } from '../../kernel/json.ts';

/** Sends requests to other services. The installation decides where to and how. */
export interface Webhooks {
  isAllowed(url: string): boolean;
  /** Never rejects. Each project has a share of the requests that may be under way. */
  post(projectId: string, url: string, payload: JsonObject, timeoutMs: number): Promise<Delivery>;
}

/** Outcome of a webhook. `status` 0: no answer came, and `error` says why. */
export interface Delivery {
  readonly ok: boolean;
  readonly status: number;
  readonly error?: string;
}
