/**
 * Whether the server could be reached when it was last asked, by whichever call of one client. Calls that failed each wait by
 * themselves before they are made again; the first that gets through tells all who wait that they need not wait longer.
 */
export class ServerPresence {
  readonly #handlers = new Set<() => void>();
  #isAway = false;

  /** Nothing came back, or what came broke off. */
  missed(): void {
    this.#isAway = true;
  }

  answered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    for (const handler of this.#handlers) handler();
  }

  /** Calls `handler` at the first answer after the server was missed, each time. Returns how to stop. */
  onReturn(handler: () => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }
}
