import { type Refusal, refusal } from '../../kernel/errors.ts';

/** The refusal of a request that waited for log or tables as long as a request may. */
export function noAnswer(): Refusal {
  return refusal('STORAGE_UNAVAILABLE', 'The storage does not answer; try again shortly');
}
