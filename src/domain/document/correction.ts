import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { WriteBody } from './decide.ts';
import { CORRECTION, reservedSource } from './sources.ts';

/**
 * Whether a write is a correction: all its operations name the source `correction`. It meets no rate-limit rule and counts in no window, so
 * it needs the secret key and a reason, and nothing else may come along with it. Whoever writes, the sources of entries that nobody asked
 * for are refused. 403 `FORBIDDEN`, 400 `INVALID_OPERATION`.
 */
export function readCorrection(body: WriteBody, isSecret: boolean): boolean | Refusal {
  const ops = body.kind === 'operations' ? body.ops : [];
  const reserved = reservedSource(ops);
  if (reserved !== null) return reserved;
  if (!ops.some(({ source }) => source === CORRECTION)) return false;
  if (!isSecret) return refusal('FORBIDDEN', `The source ${CORRECTION} needs the secret key: a correction passes the limits of the game`);
  const other = ops.findIndex(({ source }) => source !== CORRECTION);
  if (other >= 0) return invalid(other, `a correction is a request of its own: all its operations have the source ${CORRECTION}`);
  const unexplained = ops.findIndex(({ reason = '' }) => reason.trim() === '');
  return unexplained < 0 || invalid(unexplained, 'a correction needs a reason: the text `reason`, which its ledger tells');
}

function invalid(index: number, message: string): Refusal {
  return refusal('INVALID_OPERATION', `ops[${index}]: ${message}`);
}
