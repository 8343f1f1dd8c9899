/**
 * Node's options for a simulating process. Most of a run's objects die young, so the collector has
 * less to copy when it runs more rarely; helper threads would take from the other worker's core
 * what they save here; and most of its code runs too seldom to be optimized, but often enough to be
 * worth compiling. Together a quarter of a worker's time. The optimizing compiler takes a fifth of
 * it, and a twentieth less of all when it inlines less.
 */
export const workerFlags: readonly string[] = [
  "--max-semi-space-size=32",
  "--single-threaded-gc",
  "--always-sparkplug",
  "--max-inlined-bytecode-size-cumulative=300",
];
