import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { AnswerCodec } from '../idempotency.ts';

/** The kept answer to a push, removal or other change of management, in the form that older builds used too. */
const ANSWER_KEPT: AnswerCodec<JsonObject> = {
  encode: (body) => ({ status: 200, body }),
  decode(kept) {
    const body: Json | undefined = isObject(kept) ? member(kept, 'body') : undefined;
    return isObject(body) ? body : {};
  },
};

/** As {@link ANSWER_KEPT}, typed: the kept answer belongs to the same request, so it has the same type. */
export function wholeAnswer<Answer>(): AnswerCodec<Answer> {
  return ANSWER_KEPT as unknown as AnswerCodec<Answer>;
}
