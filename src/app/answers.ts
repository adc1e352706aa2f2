import type { Document } from '../contract/answers.ts';
import type { TextOf } from '../contract/values.ts';
import type { PublishTarget } from '../domain/events.ts';

/** What several use cases are asked with, and answer. */

export interface CollectionAddress {
  /** Id or name as in the path, any letter case. */
  readonly collection: string;
  readonly target: PublishTarget;
}

export interface Address extends CollectionAddress {
  readonly key: string;
}

export interface RecordAddress extends Address {
  readonly recordId: string;
}

export interface Positioned {
  /** Revision of the project's log that this reflects or became: `x-ns-position`. */
  readonly position: number;
  /** True when the answer could not be shown to be current: `x-ns-stale`. */
  readonly stale: boolean;
  /** It is the first answer to a request that was sent again: `idempotent-replay`. */
  readonly replayed?: true | undefined;
}

export interface DocumentAnswer<Body = Document> extends Positioned {
  /** JSON text, defaults filled in. */
  readonly text: TextOf<Body>;
  /** `x-ns-save-version`. */
  readonly version: number;
}

/** `result` is an object, or its JSON text where that was at hand. */
export interface ReadAnswer<Result> extends Positioned {
  readonly result: Result | TextOf<Result>;
}

export interface ManageAnswer<Result> extends Positioned {
  readonly result: Result;
}
