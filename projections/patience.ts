/** Given to every statement that a request or a projector waits for, outside its transactions: a database that has stopped answering must not hold it for ever. Milliseconds. */
export const IN_TIME = { query_timeout: 10_000 } as const;
