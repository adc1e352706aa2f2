import type { JsonObject } from '../../kernel/json.ts';
import type { LedgerChange } from '../events.ts';
import type { CollectionModel } from '../model.ts';
import type { DocumentState } from '../states.ts';
import { balancesOf, balancesText, withEntries } from './balances.ts';
import { ledgerEntries } from './ledger.ts';
import { type Move, NO_MOVES } from './moves.ts';
import { isThere } from './packed.ts';
import type { ReadDocument } from './read-document.ts';

/** The write that the ledger follows. */
interface LedgerWriteContext {
  readonly collection: CollectionModel;
  readonly current: DocumentState | null;
  readonly source: string;
  readonly reason?: string | undefined;
}

export interface LedgerUpdate extends LedgerChange {
  /** Number of entries that the writer's own changes need. It may exceed the entries that are there. */
  readonly required: number;
}

/**
 * The ledger entries of one write, and the balances after it. `from`: what the writer began from as it read, not needed in a collection
 * without a ledger. `after`: `null` for a delete. `moves`: of the write's operations, if it is made of some.
 */
export function updateLedger(
  { collection: { schema }, current, source, reason }: LedgerWriteContext,
  from: () => JsonObject | null,
  after: ReadDocument | null,
  moves: readonly Move[] = NO_MOVES,
): LedgerUpdate {
  const unchanged = current?.balances;
  if (!schema.hasLedger && (after !== null || unchanged === undefined)) return { entries: [], required: 0, balances: unchanged };
  const prior = balancesOf(current);
  const write = { schema, balances: prior, from: from(), isNew: !isThere(current), after, moves, source, reason };
  const { entries, required } = ledgerEntries(write);
  return { entries, required, balances: entries.length === 0 ? unchanged : balancesText(withEntries(prior, entries)) };
}
