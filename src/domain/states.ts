import type { JsonObject } from '../kernel/json.ts';
import type { DefinitionKind, KeyKind, Permissions } from './events.ts';

/**
 * The states that decisions read, one type per kind of subject. All are immutable; `evolve` makes the next one. `null` stands for a
 * subject that no event has ever touched.
 */

/** A document or a global record. A deleted one keeps its version, and in a `next` space it hides the live one. */
export interface DocumentState {
  /** `null`: deleted. */
  readonly document: JsonObject | null;
  readonly version: number;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One window counter of a rate-limit rule. A later window starts from 0; `start` tells which one this is. */
export interface WindowState {
  readonly start: number;
  readonly used: number;
  readonly flagged: boolean;
}

/** The first answer to an idempotent append. */
export interface IdempotencyState {
  readonly bodyHash: string;
  readonly recordId: string;
  readonly timestamp: number;
  readonly recordedAt: number;
}

export interface ApiKey {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly label: string;
  readonly hash: string;
  readonly display: string;
  readonly enabled: boolean;
  readonly permissions: Permissions;
  readonly createdAt: number;
}

/** The game's package as its editor tells of it. Times are unix ms. */
export interface GamePackage {
  /** As they were told; `currentRevisionId` and `latestRevisionId` are numbers where they are there. */
  readonly members: JsonObject;
  /** Since when the current revision is the current one. */
  readonly publishedAt: number;
  readonly syncedAt: number;
}

/** Project, settings, keys and game package. */
export interface AuthorityState {
  readonly projectId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly deleted: boolean;
  readonly settings: JsonObject;
  /** By key id, in order of issue. */
  readonly keys: ReadonlyMap<string, ApiKey>;
  readonly gamePackage: GamePackage | null;
}

export interface DefinitionItem {
  readonly kind: DefinitionKind;
  readonly id: string;
  /** SHA-256 (hex) of `text`. */
  readonly hash: string;
  /** Its stored JSON text. */
  readonly text: string;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Definitions by kind and id, in order of creation. */
export type Layer = Readonly<Record<DefinitionKind, ReadonlyMap<string, DefinitionItem>>>;

export interface DefinitionsState {
  readonly live: Layer;
  /** Lies over `live`. */
  readonly next: Layer;
  /** The current `next` data space is `next{generation}`. */
  readonly generation: number;
  readonly liveHash: string;
  readonly nextHash: string;
  /** Texts by hash: everything the layers refer to, and what was stored and is not referred to yet. */
  readonly sources: ReadonlyMap<string, string>;
  /** Parts of texts that are not complete yet. */
  readonly partial: ReadonlyMap<string, readonly (string | undefined)[]>;
}

export type SubjectState = DocumentState | WindowState | IdempotencyState | AuthorityState | DefinitionsState;
