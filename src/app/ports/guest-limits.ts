/** Bounds what unknown devices can cause: every guest is an event that is kept for good. */
export interface GuestLimits {
  /**
   * Seconds for which an address that keeps guessing is shut out of a project; 0: it is not shut out. `address` null: this machine, which
   * is not counted.
   */
  blockedFor(address: string | null, projectId: string): number;
  /** Counts a wrong secret or code. */
  rejected(address: string | null, projectId: string): void;
  /**
   * Admits a secret or code that must be looked up. It counts as wrong until `settle`. Answers the seconds to wait; 0: it is admitted, and
   * must be settled.
   */
  admit(address: string | null, projectId: string): number;
  /** The outcome of what was admitted. */
  settle(address: string | null, projectId: string, isWrong: boolean): void;
  /** Counts a new guest. Throws 429 RATE_LIMITED when a project gets too many at once, whatever addresses they come from. */
  register(projectId: string): void;
}
