/** The option of commands that read what was. */
export const AT_OPTION = [
  '--at <moment>',
  'as of a revision, or of a time with its zone, such as 2026-03-01T12:00Z; takes a key with history: r',
] as const;
