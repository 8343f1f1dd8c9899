/**
 * A forgetful publish/subscribe bus: fast, in order per publisher, and without any memory. A lost
 * message stays lost; its users find out by the revisions inside the messages and re-read from the
 * API server.
 */
export interface Bus {
  /**
   * Hands a message over; whether it arrives is not known.
   * @throws BusUnavailable while there is no connection, or when the server takes messages too
   * slowly.
   */
  publish(subject: string, payload: Uint8Array): void;
  /**
   * Receives messages under one filter (`*` is one token, a final `>` one or more), until `signal`
   * aborts. Resolves when the server has confirmed; survives lost connections, reporting each by
   * `onInterrupted`.
   * @throws BusUnavailable while there is no connection, BusDenied when this identity may not
   * subscribe to it.
   */
  subscribe(filter: string, handlers: BusHandlers, signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the server has taken in everything handed over before.
   * @throws BusUnavailable when it does not within the time limit.
   */
  flush(): Promise<void>;
  connected(): boolean;
  /** Reports every loss and every return of the connection. Returns a function that stops it. */
  onStatus(listener: (status: BusStatus) => void): () => void;
}

/** Neither may throw. */
export interface BusHandlers {
  onMessage(subject: string, payload: Uint8Array): void;
  /**
   * Messages may have been lost: called when the connection is lost, and again when the
   * subscription is confirmed again. After the second call nothing more is lost.
   */
  onInterrupted(reason: string): void;
}

export type BusStatus = { connected: true } | { connected: false; because: string };

/** There is no connection to the bus now; it is tried again forever. */
export class BusUnavailable extends Error {
  override readonly name = "BusUnavailable";
}

/** The bus identity may not do this; trying again does not help. */
export class BusDenied extends Error {
  override readonly name = "BusDenied";
}
