import type { HandlerRequest } from "@kintsugi/client";

/** "out": from the machine to the API server. */
type Direction = "out" | "in";

/** A message under way: a request, or its answer (a piece of it, where it comes in pieces). */
export interface Passing {
  readonly direction: Direction;
  readonly request: HandlerRequest;
}

/**
 * The fate of a message. A lost one is not reported: the caller waits for a request in vain, and a
 * stream breaks off.
 */
export type Passage = "lost" | { readonly delayMs: number };

/** All faults of a line at one time: the first that decides about a message counts. */
export class Weathers<Given, Said> {
  readonly #all = new Set<(given: Given) => Said | undefined>();

  /** @returns how to end it. */
  add(weather: (given: Given) => Said | undefined): () => void {
    // Its own function, so that the same weather may come twice.
    const entry = (given: Given) => weather(given);
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  decide(given: Given): Said | undefined {
    for (const weather of this.#all) {
      const said = weather(given);
      if (said !== undefined) return said;
    }
    return undefined;
  }
}
