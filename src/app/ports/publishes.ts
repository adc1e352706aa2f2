import type { PublishDifference } from '../../domain/definition/release/publish-difference.ts';
import type { Actor, DefinitionChange, PublishTarget } from '../../domain/events.ts';
import type { ApprovalState } from '../../domain/states.ts';

/** What is read of the history of publishes. */

/** A publish, promotion or rollback as its event describes it; or a new generation of the data of `next`, which changes no definition. */
export interface PublishRow {
  readonly revision: number;
  readonly action: 'publish' | 'promote' | 'rollback' | 'renew';
  /** The target that it changed. */
  readonly target: PublishTarget;
  readonly hash: string;
  /** `null` for a publish. */
  readonly generation: number | null;
  /** For a rollback: the revision that live shows again, −1 for none. */
  readonly restored: number | null;
  /** The rollback that undid it; `null`: none did, or a later one brought it back. */
  readonly undoneBy: number | null;
  readonly changes: readonly DefinitionChange[];
  /** One for each change; `null`: none are kept. */
  readonly differences: readonly PublishDifference[] | null;
  readonly actor: Actor;
  /** Of the key that did it, also of one that was revoked; `null`: no key did. */
  readonly label: string | null;
  readonly cause: string;
  /** Why; `null`: nobody said. */
  readonly message: string | null;
  /** Of the support desk; `null`: none was named. */
  readonly ticket: string | null;
  /** What a second person agreed to, or what an owner went past; `null`: the project asked for nobody. */
  readonly approval: ApprovalState | null;
  /** Unix ms. */
  readonly at: number;
}

export interface PublishPage {
  readonly revision: number;
  readonly publishes: readonly PublishRow[];
  /** `before` of the next page; `null` at the end. */
  readonly next: number | null;
}

export interface PublishReader {
  /** Publishes below the revision `before`, newest first. */
  publishes(projectId: string, page: { readonly before: number; readonly limit: number }): Promise<PublishPage>;
}
