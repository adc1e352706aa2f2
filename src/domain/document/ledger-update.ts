import type { JsonObject } from '../../kernel/json.ts';
import type { Fork, LedgerEntry } from '../events.ts';
import type { CollectionModel } from '../model.ts';
import type { DocumentState } from '../states.ts';
import { balancesOf, balancesText, NO_BALANCES, NO_BALANCES_TEXT, withEntries } from './balances.ts';
import { ledgerEntries, storedBalances } from './ledger.ts';
import { type Move, NO_MOVES } from './moves.ts';
import { isThere } from './packed.ts';
import type { ReadDocument } from './read-document.ts';

/** The write that the ledger follows. */
interface LedgerWriteContext {
  readonly collection: CollectionModel;
  readonly current: DocumentState | null;
  readonly fork?: Fork | undefined;
  readonly source: string;
}

export interface LedgerUpdate {
  readonly entries: readonly LedgerEntry[];
  /** Number of entries that the writer's own changes need. It may exceed the entries that are there. */
  readonly required: number;
  /** The balances before the write, where the event must state them: its member `told`. */
  readonly before: JsonObject | undefined;
  /** The balances after the write, as the document's state keeps them. */
  readonly balances: DocumentState['balances'];
  /** The same as text, as the event carries it in this process. */
  readonly balancesJson: string;
}

/**
 * The ledger entries of one write, and the balances after it. `from`: what the writer began from as it read, not needed in a collection without a
 * ledger. `after`: `null` for a delete. `moves`: of the write's operations, if it is made of some.
 */
export function updateLedger(
  { collection: { schema }, current, fork, source }: LedgerWriteContext,
  from: () => JsonObject | null,
  after: ReadDocument | null,
  moves: readonly Move[] = NO_MOVES,
): LedgerUpdate {
  if (!schema.hasLedger && (after !== null || !current?.balances)) return unchangedBalances(current, fork);
  const known = balancesOf(current);
  const prior = known ?? storedBalances(schema, current?.document ?? null);
  const write = { schema, balances: prior, from: from(), isNew: !isThere(current), after, moves, source };
  const { entries, required } = ledgerEntries(write);
  const isUnstated = known === null || (fork !== undefined && known !== NO_BALANCES);
  const balances = entries.length === 0 && known !== null ? current?.balances : balancesText(withEntries(prior, entries));
  return { entries, required, before: isUnstated ? prior : undefined, balances, balancesJson: balances ?? NO_BALANCES_TEXT };
}

/** The balances where no field has a ledger: unchanged. A document that an earlier release wrote has none. */
function unchangedBalances(current: DocumentState | null, fork: Fork | undefined): LedgerUpdate {
  const balances = current?.balances ?? undefined;
  const before = current?.balances === null ? NO_BALANCES : fork === undefined || balances === undefined ? undefined : balancesOf(current);
  return { entries: [], required: 0, before: before ?? undefined, balances, balancesJson: balances ?? NO_BALANCES_TEXT };
}
