import { MAX_LENGTH } from '../../contract/resources/telemetry.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { DOCUMENT_KEY } from '../document/key.ts';
import { numberOf, stringIn } from './body.ts';
import type { SaveFailed } from './events.ts';

/** The event of a report that a save failed. Every member may be missing. */
export function saveFailure(body: JsonObject, claimed: string | null): SaveFailed {
  return {
    collectionId: stringIn(body, ['collectionId'], MAX_LENGTH.id) ?? '',
    recordKey: stringIn(body, ['recordKey'], MAX_LENGTH.code) ?? '',
    reason: stringIn(body, ['reason'], MAX_LENGTH.reason) ?? '',
    expectedSeq: wholeIn(body, 'expectedSeq'),
    observedSeq: wholeIn(body, 'observedSeq'),
    attempts: wholeIn(body, 'attempts'),
    platformId: claimed !== null && DOCUMENT_KEY.test(claimed) ? claimed : null,
  };
}

/** A whole number; -1 for anything else. */
function wholeIn(body: JsonObject, name: string): number {
  const number = numberOf(body, [name]);
  return number !== null && Number.isSafeInteger(number) ? number : -1;
}
