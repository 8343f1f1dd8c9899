/**
 * Node's options for a simulating process. Most of a run's objects are short-lived, so the
 * collector copies less when it runs more rarely. Helper threads would cost the other worker's core
 * what they save here. Most of the process's code runs too seldom to be optimized, but often enough
 * to be worth compiling. Together this saves a quarter of a worker's time. The optimizing compiler
 * takes a fifth of a worker's time, and less inlining saves a twentieth of the worker's time.
 */
export const workerFlags: readonly string[] = [
  "--max-semi-space-size=32",
  "--single-threaded-gc",
  "--always-sparkplug",
  "--max-inlined-bytecode-size-cumulative=300",
];
