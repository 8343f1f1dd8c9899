import type { HandlerRequest } from "@kintsugi/client";

/** "out": from the machine to the API server. */
type Direction = "out" | "in";

/** A message under way: a request, or its answer (a piece of it, where it comes in pieces). */
export interface Passing {
  readonly direction: Direction;
  readonly request: HandlerRequest;
}

/**
 * What becomes of it. Nobody is told of one that is lost: a request is waited for in vain, and a
 * stream breaks off.
 */
export type Passage = "lost" | { readonly delayMs: number };

/**
 * Everything that is wrong with a line at one time: the first that has something to say about a
 * message decides.
 */
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
