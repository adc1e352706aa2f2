/**
 * Time limit of every statement outside a transaction that a request or a projector waits for, in milliseconds. A database that does not
 * answer must not block them for ever.
 */
export const QUERY_TIMEOUT = { query_timeout: 10_000 } as const;
