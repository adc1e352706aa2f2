/** When the keys of projects were used last. Times are unix milliseconds. */

/** A use of a key: the first one within a minute. */
export interface KeyUse {
  readonly project: string;
  readonly keyId: string;
  /** What the key is for: it is known of a key that was revoked since, too. */
  readonly label: string;
  readonly usedAt: number;
}

export interface KeyUseTable {
  /** Notes the last uses that are newer than what is there. */
  note(uses: readonly KeyUse[]): Promise<void>;
  /** The last use of each key of a project, revoked ones, too; the last used first, 1 000 at most. */
  of(project: string): Promise<readonly KeyUse[]>;
  /** Since when uses have been noted in this installation. */
  since(): Promise<number>;
}
