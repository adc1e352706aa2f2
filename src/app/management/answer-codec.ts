import type { JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { AnswerCodec } from '../idempotency.ts';

/** The kept answer to a push, removal or other change of management, in the form that older builds used too. */
const ANSWER_CODEC: AnswerCodec<JsonObject> = {
  encode: (body) => ({ status: 200, body }),
  decode: (kept) => objectOf(objectOf(kept)['body']),
};

/** As {@link ANSWER_CODEC}, typed: the kept answer belongs to the same request, so it has the same type. */
export function wholeAnswer<Answer>(): AnswerCodec<Answer> {
  return ANSWER_CODEC as unknown as AnswerCodec<Answer>;
}
