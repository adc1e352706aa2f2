import { Refusal } from '../kernel/errors.ts';
import { isArray, isObject, type JsonObject } from '../kernel/json.ts';

/** A refusal that came from a server. */
export class RemoteRefusal extends Refusal {
  /** The whole body; `{}` where it was no JSON object. */
  readonly body: JsonObject;

  /** `error`: members of the body's `error` besides `code` and `message`. */
  constructor(status: number, code: string, message: string, error: JsonObject, body: JsonObject) {
    super(status, code, message, { error });
    this.body = body;
  }

  /** Of PUBLISH_CONFLICT: what was published since, newest first: `{revision, action, target, at, actor, changes}`. */
  get publishes(): readonly JsonObject[] {
    const told = this.extra.error?.['details'];
    const publishes = isObject(told) ? told['publishes'] : undefined;
    return isArray(publishes) ? publishes.filter((each) => isObject(each)) : [];
  }
}

/** No usable answer came. `code`: `UNREACHABLE`, `NO_ANSWER` where a write may have been done, or `BAD_ANSWER` of something else. */
export class RemoteUnreachable extends Error {
  override readonly name = 'RemoteUnreachable';
  readonly code: 'UNREACHABLE' | 'NO_ANSWER' | 'BAD_ANSWER';

  constructor(code: 'UNREACHABLE' | 'NO_ANSWER' | 'BAD_ANSWER', message: string) {
    super(message);
    this.code = code;
  }
}
