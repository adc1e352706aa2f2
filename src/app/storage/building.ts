import { type Refusal, refusal } from '../../kernel/errors.ts';

/** Refuses what is still being filled after a publish: 503 `BUILDING`. `fraction`: the part that is done, 0 to below 1. */
export function building(fraction: number, message?: string): Refusal {
  return refusal('BUILDING', message, { error: { details: { fraction: Math.floor(fraction * 1_000) / 1_000 } } });
}
