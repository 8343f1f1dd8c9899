import type { HandlerRequest } from "@kintsugi/client";

/** "out": from the machine to the API server. */
type Direction = "out" | "in";

/** A message in flight: a request, or its response (one piece of a stream). */
export interface Passing {
  readonly direction: Direction;
  readonly request: HandlerRequest;
}

/**
 * The fate of a message. A lost message is not reported: the caller waits for a response in vain,
 * and a stream breaks.
 */
export type Passage = "lost" | { readonly delayMs: number };

/** All present faults of a line: the first fault that decides about a message applies. */
export class Impairments<Given, Said> {
  readonly #all = new Set<(given: Given) => Said | undefined>();

  /** @returns a function that ends the fault. */
  add(impairment: (given: Given) => Said | undefined): () => void {
    // The function is wrapped so that the same fault may be added twice.
    const entry = (given: Given) => impairment(given);
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  decide(given: Given): Said | undefined {
    for (const impairment of this.#all) {
      const said = impairment(given);
      if (said !== undefined) return said;
    }
    return undefined;
  }
}
