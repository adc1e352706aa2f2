import { isObject } from './answer.ts';
import { isReported, type Members, profileIn } from './revision-status.ts';

/** What answers say of the game's revision. It is kept here until the game asks: a game that never does loads no more than this. */

/** A document route refuses an outdated game, and says no more than that. */
interface Refused {
  readonly isWrite: boolean;
  readonly message: string;
}

/** Is told of every answer that may say something. */
export interface RevisionFollower {
  /** `body` is that of a call, and says something of the revision. */
  said(body: Members): void;
  /** A call was carried out, and nothing was said. */
  saidNothing(): void;
  refused(isWrite: boolean, message: string): void;
  /** A document was read or written. */
  taken(isWrite: boolean): void;
}

export class RevisionReports {
  #said: Members | null = null;
  #refused: Refused | null = null;
  #follower: RevisionFollower | null = null;

  get isOutdated(): boolean {
    const { _revisionStatus: status, revision } = this.#said ?? {};
    const isSaid = isReported(status) ? status['isOutdatedRevision'] : profileIn(revision)?.['revisionOutdated'];
    return isSaid === true || this.#refused !== null;
  }

  /** Tells the follower what was said last, and everything from now on. */
  follow(follower: RevisionFollower): void {
    this.#follower = follower;
    if (this.#said !== null) follower.said(this.#said);
    if (this.#refused !== null) follower.refused(this.#refused.isWrite, this.#refused.message);
  }

  /** Takes the report out of the body of a call. Returns the body without it. */
  noteCall(body: unknown, isOk: boolean): unknown {
    if (!isObject(body)) return body;
    const { _revisionStatus: status, ...rest } = body;
    if (isReported(status) || profileIn(body['revision'])) {
      this.#said = body;
      this.#refused = null;
      this.#follower?.said(body);
    } else if (isOk) {
      this.#said = null;
      this.#follower?.saidNothing();
    }
    return isReported(status) ? rest : body;
  }

  /** `refusal`: the message of a refusal that was about the revision. */
  noteDocument(isWrite: boolean, refusal: string | null): void {
    if (refusal !== null) {
      this.#refused = { isWrite, message: refusal };
      this.#follower?.refused(isWrite, refusal);
      return;
    }
    if (this.#refused?.isWrite === isWrite) this.#refused = null;
    this.#follower?.taken(isWrite);
  }
}
