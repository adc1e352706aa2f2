/**
 * How many connections the system keeps for a server that is too busy to accept them; it bounds the number itself (`net.core.somaxconn`). A
 * client beyond it tries again after 1, 3 and 7 s. Node's own 511 are fewer than come at once when a game starts or a network comes back.
 */
export const BACKLOG = 4_096;
