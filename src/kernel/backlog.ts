/**
 * How many connections the system queues while a server is too busy to accept them; the system has its own bound (`net.core.somaxconn`). A
 * client beyond that retries after 1, 3 and 7 s. Node's default of 511 is too few when a game starts or a network comes back.
 */
export const BACKLOG = 4_096;
