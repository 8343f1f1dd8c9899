/**
 * A publish/subscribe bus without persistence: fast, and ordered per publisher. A lost message is
 * not repeated; its users detect the loss by the revisions inside the messages and read again from
 * the API server.
 */
export interface Bus {
  /**
   * Passes a message to the bus; whether it arrives is not known.
   * @throws BusUnavailable while the bus is not connected, or when the server accepts messages too
   * slowly.
   */
  publish(subject: string, payload: Uint8Array): void;
  /**
   * Receives messages under one filter (`*` is one token, a final `>` one or more), until `signal`
   * aborts. Resolves when the server has confirmed; survives lost connections, reporting each by
   * `onInterrupted`.
   * @throws BusUnavailable while the bus is not connected, BusDenied when this identity may not
   * subscribe to the filter.
   */
  subscribe(filter: string, handlers: BusHandlers, signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the server has accepted all messages that were published before the call.
   * @throws BusUnavailable when the server does not accept the messages within the time limit.
   */
  flush(): Promise<void>;
  connected(): boolean;
  /**
   * Reports every loss and every return of the connection. Returns a function that stops the
   * reports.
   */
  onStatus(listener: (status: BusStatus) => void): () => void;
}

/** Neither function may throw. */
export interface BusHandlers {
  onMessage(subject: string, payload: Uint8Array): void;
  /**
   * Messages may have been lost. It is called when the connection is lost, and again when the
   * subscription is confirmed again. After the second call, messages are no longer lost.
   */
  onInterrupted(reason: string): void;
}

export type BusStatus = { connected: true } | { connected: false; because: string };

/** There is currently no connection to the bus; the connection is retried forever. */
export class BusUnavailable extends Error {
  override readonly name = "BusUnavailable";
}

/** The bus identity may not perform the operation, so a retry does not help. */
export class BusDenied extends Error {
  override readonly name = "BusDenied";
}
