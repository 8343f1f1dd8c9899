import { createInterface } from "node:readline/promises";

/** A user at the terminal. */
export interface Learner {
  /** Undefined at the end of the input. */
  ask(question: string): Promise<string | undefined>;
  /** Aborts at the end of the input, by Ctrl-D or Ctrl-C. */
  readonly left: AbortSignal;
  [Symbol.dispose](): void;
}

export function learnerAtTerminal(): Learner {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const stop = new AbortController();
  lines.once("close", () => stop.abort());
  return {
    left: stop.signal,
    ask: async (question) => {
      try {
        return await lines.question(question, { signal: stop.signal });
      } catch (error) {
        // The end of the input.
        if (stop.signal.aborted) return undefined;
        throw error;
      }
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
