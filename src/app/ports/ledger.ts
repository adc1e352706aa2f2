import type { Actor } from '../../domain/events.ts';
import type { Json } from '../../kernel/json.ts';

/** An entry of a ledger, as it is read. */
export interface LedgerRow {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
  readonly delta: Json;
  readonly source: string;
  readonly reason: string | null;
  /** Unix ms. */
  readonly at: number;
  readonly eventId: string;
  readonly actor: Actor;
  /** Of the key that the request came with, also of one that was revoked. */
  readonly label: string | null;
}
