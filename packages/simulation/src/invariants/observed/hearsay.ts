/**
 * A decision may rest on a picture of this age: when the bus has lost a change, its next mark
 * (every 5 s) reveals it, and a decision may be on its way for some seconds more.
 */
export const hearsayMs = 15_000;
