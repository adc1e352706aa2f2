import { MAX_LENGTH } from '../../contract/resources/telemetry.ts';
import { isNumber, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { DOCUMENT_KEY } from '../document/key.ts';
import { stringIn } from './body.ts';
import type { SaveFailed } from './events.ts';

/** The event of a report that a save failed. Every member may be missing. */
export function saveFailure(body: JsonObject, claimed: string | null): SaveFailed {
  return {
    collectionId: stringIn(body, ['collectionId'], MAX_LENGTH.id) ?? '',
    recordKey: stringIn(body, ['recordKey'], MAX_LENGTH.code) ?? '',
    reason: stringIn(body, ['reason'], MAX_LENGTH.reason) ?? '',
    expectedSeq: wholeOf(member(body, 'expectedSeq')),
    observedSeq: wholeOf(member(body, 'observedSeq')),
    attempts: wholeOf(member(body, 'attempts')),
    platformId: claimed !== null && DOCUMENT_KEY.test(claimed) ? claimed : null,
  };
}

function wholeOf(value: Json | undefined): number {
  const number = isNumber(value) ? toDouble(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : -1;
}
