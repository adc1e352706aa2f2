import type { ManageReply } from '../../domain/definition/publish.ts';
import { isObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Keeps } from '../once.ts';

/** What a push, a removal or another change of the management routes was answered with (decision 35). */
const REPLY_KEPT: Keeps<ManageReply> = {
  kept: ({ status, body }) => ({ status, body }),
  again(kept) {
    const [status, body] = isObject(kept) ? [member(kept, 'status'), member(kept, 'body')] : [];
    return { status: typeof status === 'number' ? status : 200, body: isObject(body) ? body : {} };
  },
};

/** The same of a body whose type is known: what is kept is what the same request was answered with. */
export function replyKept<Body>(): Keeps<ManageReply<Body>> {
  return REPLY_KEPT as unknown as Keeps<ManageReply<Body>>;
}
