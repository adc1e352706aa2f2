import { keptOutcome } from '../../../src/domain/idempotency/answers.ts';
import type { KeptAnswer, KeptOutcome } from '../../../src/domain/states.ts';
import { decodeEvent, encodeEvent } from '../../../src/kernel/json.ts';

export function outcomeText(outcome: KeptOutcome): string {
  return encodeEvent(outcome);
}

export function keptFrom(request: string, text: string, until: number): KeptAnswer {
  return { request, until, outcome: keptOutcome(decodeEvent(text)) };
}
