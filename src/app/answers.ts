import type { Document } from '../contract/answers.ts';
import type { TextOf } from '../contract/values.ts';
import type { PublishTarget } from '../domain/events.ts';

/** Arguments and answers that several use cases share. */

export interface CollectionAddress {
  /** Id or name as in the path, in any letter case. */
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
  /** Revision of the project's log that the request made, or that the answer reflects: `x-ns-position`. */
  readonly position: number;
  /** True if the answer could not be shown to be current: `x-ns-stale`. */
  readonly stale: boolean;
  /** Set if this repeats the first answer to a request that was sent again: `idempotent-replay`. */
  readonly replayed?: true | undefined;
}

export interface DocumentAnswer<Body = Document> extends Positioned {
  /** JSON text of the document, with defaults filled in. */
  readonly text: TextOf<Body>;
  /** `x-ns-save-version`. */
  readonly version: number;
}

/** `result`: an object, or its JSON text where one existed already. */
export interface ReadAnswer<Result> extends Positioned {
  readonly result: Result | TextOf<Result>;
}

export interface ManageAnswer<Result> extends Positioned {
  readonly result: Result;
  /** The revision by which the history lists the publish: `x-ns-published`. Left out if nothing was published, or in a repeated answer. */
  readonly published?: number | undefined;
}
