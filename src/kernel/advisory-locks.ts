/**
 * Advisory locks of Postgres, by what holds them. They stand in one place because two with one number would wait for each other. The
 * numbers have no meaning; those of a release are kept, because its nodes may run beside this build's.
 */
export const ADVISORY_LOCKS = {
  /** While tables change, so that nodes that start together wait for each other. */
  migration: 7_203_114_001,
  /** A whole rebuild: one runs at a time. */
  rebuild: 7_203_114_002,
  /** A whole verification, because its scratch tables have fixed names. */
  verification: 7_203_114_003,
  /** While the demo is made. */
  demo: 7_203_114_004,
  /** A truncation of telemetry, because the tables that it folds into have fixed names. */
  truncation: 7_203_114_007,
  /** While requests of the call log are stored, so that their numbers come in the order of commits. */
  callLog: 7_203_114_008,
} as const;
