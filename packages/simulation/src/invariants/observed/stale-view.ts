/**
 * Largest age of the cache on which a decision may be based. If the bus has lost a change, its next
 * mark (every 5 s) reveals the loss, and a decision may be in flight for several more seconds.
 */
export const staleViewMs = 15_000;
