import { isArray, isObject, type JsonObject } from '../kernel/json.ts';

/** A request that the server refused. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal';
  readonly status: number;
  readonly code: string;
  /** Members of `error` besides `code` and `message`. */
  readonly details: JsonObject;
  /** The whole body; `{}` where it was no JSON object. */
  readonly body: JsonObject;

  constructor(status: number, code: string, message: string, details: JsonObject, body: JsonObject) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.body = body;
  }

  /** Of PUBLISH_CONFLICT: what was published since, newest first: `{revision, action, target, at, actor, changes}`. */
  get publishes(): readonly JsonObject[] {
    const told = this.details['details'];
    const publishes = isObject(told) ? told['publishes'] : undefined;
    return isArray(publishes) ? publishes.filter((each) => isObject(each)) : [];
  }
}

/** No usable answer came from the server. `code`: `UNREACHABLE`, or `NO_ANSWER` where a write may have been done. */
export class RemoteUnreachable extends Error {
  override readonly name = 'RemoteUnreachable';
  readonly code: 'UNREACHABLE' | 'NO_ANSWER';

  constructor(code: 'UNREACHABLE' | 'NO_ANSWER', message: string) {
    super(message);
    this.code = code;
  }
}
