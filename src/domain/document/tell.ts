import type { JsonObject } from '../../kernel/json.ts';
import type { CollectionModel } from '../definition/model.ts';
import type { Fork, LedgerEntry } from '../events.ts';
import type { DocumentState } from '../states.ts';
import { ledgerEntries, toldAsStored } from './ledger.ts';
import type { Origin } from './operations.ts';
import { isThere } from './packed.ts';
import type { ReadDocument } from './read-document.ts';
import { NOTHING_TOLD, NOTHING_TOLD_TEXT, toldOf, toldText, withEntries } from './told.ts';

/** The write that the ledger is told of. */
interface Written {
  readonly collection: CollectionModel;
  readonly current: DocumentState | null;
  readonly fork?: Fork | undefined;
  readonly source: string;
}

export interface Account {
  readonly entries: readonly LedgerEntry[];
  /** Number of entries that the writer's own changes need. It may exceed the entries that are there. */
  readonly asked: number;
  /** The event's `told`: what had been told before it. */
  readonly before: JsonObject | undefined;
  /** What has been told after it, as the document's state keeps it. */
  readonly told: DocumentState['told'];
  /** The same as text, as the event carries it in this process. */
  readonly toldText: string;
}

/**
 * The ledger entries of one write, and the account after it. `from`: what the writer began from as it read, not needed in a collection without a
 * ledger. `after`: `null` for a delete.
 */
export function tell(
  { collection: { schema }, current, fork, source }: Written,
  from: () => JsonObject | null,
  after: ReadDocument | null,
  originOf: (path: string) => Origin | undefined,
): Account {
  if (!schema.hasLedger && (after !== null || !current?.told)) return untouched(current, fork);
  const known = toldOf(current);
  const said = known ?? toldAsStored(schema, current?.document ?? null);
  const telling = { schema, told: said, from: from(), isNew: !isThere(current), after, originOf, source };
  const { entries, asked } = ledgerEntries(telling);
  const isUntold = known === null || (fork !== undefined && known !== NOTHING_TOLD);
  const told = entries.length === 0 && known !== null ? current?.told : toldText(withEntries(said, entries));
  return { entries, asked, before: isUntold ? said : undefined, told, toldText: told ?? NOTHING_TOLD_TEXT };
}

/** The account where no field has a ledger: unchanged. A document that an earlier release wrote has none. */
function untouched(current: DocumentState | null, fork: Fork | undefined): Account {
  const told = current?.told ?? undefined;
  const before = current?.told === null ? NOTHING_TOLD : fork === undefined || told === undefined ? undefined : toldOf(current);
  return { entries: [], asked: 0, before: before ?? undefined, told, toldText: told ?? NOTHING_TOLD_TEXT };
}
