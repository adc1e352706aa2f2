import { type Refusal, refusal } from '../../kernel/errors.ts';

/** Refuses what a publish brought over many documents while it is being made: 503 `BUILDING`. `fraction`: how far it is, 0 to below 1. */
export function building(fraction: number, message?: string): Refusal {
  return refusal('BUILDING', message, { error: { details: { fraction: Math.floor(fraction * 1_000) / 1_000 } } });
}
