/**
 * Largest age of the view that a decision may rest on. When the bus has lost a change, its next
 * mark (every 5 s) reveals the loss, and a decision may be on its way for some seconds more.
 */
export const staleViewMs = 15_000;
