import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { Operation } from '../events.ts';

/** The source of an operator's or support's correction in a ledger. */
export const CORRECTION = 'correction';

/** Sources of ledger entries that no writer asked for. */
export const UNASKED_SOURCE = { default: 'default', definition: 'definition' } as const;

const UNASKED: ReadonlySet<string> = new Set(Object.values(UNASKED_SOURCE));

/** Whether the product alone writes ledger entries with this source, so that readers can rest on what it says. */
export function isReservedSource(source: string | undefined): boolean {
  return source === CORRECTION || (source !== undefined && UNASKED.has(source));
}

/** The refusal of operations with a source that stands for what nobody wrote: 400 `INVALID_OPERATION`; `null`: there is none. */
export function reservedSource(ops: readonly Operation[]): Refusal | null {
  const at = ops.findIndex(({ source }) => source !== undefined && UNASKED.has(source));
  return at < 0 ? null : refusal('INVALID_OPERATION', `ops[${at}]: ${saysReserved(ops[at]?.source ?? '')}`);
}

/** What is wrong with a reserved source, for who wrote it. */
export function saysReserved(source: string): string {
  return `the source '${source}' is kept for entries that the server itself makes; name another`;
}
