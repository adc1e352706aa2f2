import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Keeps } from '../once.ts';

/** What a push, a removal or another change of the management routes was answered with (decision 35), as older builds kept it, too. */
const ANSWER_KEPT: Keeps<JsonObject> = {
  kept: (body) => ({ status: 200, body }),
  again(kept) {
    const body: Json | undefined = isObject(kept) ? member(kept, 'body') : undefined;
    return isObject(body) ? body : {};
  },
};

/** The same of an answer whose type is known: what is kept is what the same request was answered with. */
export function answerKept<Answer>(): Keeps<Answer> {
  return ANSWER_KEPT as unknown as Keeps<Answer>;
}
