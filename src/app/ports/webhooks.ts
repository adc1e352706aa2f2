import type { JsonObject } from '../../kernel/json.ts';

/** Posting to other services, as the use cases see it. Where to, and how, is the installation's choice. */
export interface Webhooks {
  isAllowed(url: string): boolean;
  /** Never rejects. Each project has a share of what may be under way. */
  post(projectId: string, url: string, payload: JsonObject, timeoutMs: number): Promise<Delivery>;
}

/** What came of a webhook. `status` 0: nobody answered, and `error` says why. */
export interface Delivery {
  readonly ok: boolean;
  readonly status: number;
  readonly error?: string;
}
