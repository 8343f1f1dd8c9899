/**
 * The port through which informers are notified of changes without polling: a doorbell, never the
 * truth. NATS is behind it in production, a bus in memory in tests and simulations.
 */
export interface ChangeStream {
  /**
   * Starts to receive. Resolves once the bus has confirmed the subscription, so that a list made
   * afterwards misses nothing. Ends when `signal` aborts.
   * @throws when the bus cannot be reached; the caller goes on over HTTP watch and tries again.
   */
  subscribe(filter: ChangeFilter, handlers: ChangeHandlers, signal: AbortSignal): Promise<void>;
  /**
   * Parses the object in a change's bytes, on demand; it may be shared with others and must not be
   * modified. Default `JSON.parse`.
   * @throws SyntaxError when it is no JSON.
   */
  readonly parse?: ParseChanged | undefined;
}

/** Reads the bytes that a change of this revision carries. */
export type ParseChanged = <T extends object>(bytes: Uint8Array, revision: number) => T;

/** The two filters that exist: one whole resource, or the pods, node or lease of one node. */
export interface ChangeFilter {
  /** Group, "" for core. */
  group: string;
  /** Plural, as in URLs. */
  resource: string;
  /** Limits the stream to this node's objects: pods bound to it, the Node itself, its Lease. */
  nodeName?: string;
}

export interface ChangeHandlers {
  /**
   * Changes arrive in publishing order. A gap shows as `previous` being newer than the reader's
   * position.
   */
  onChange(change: ChangeEnvelope): void;
  /**
   * The relay's regular statement of the last revision of the filtered resource; not sent for node
   * filters.
   */
  onMark(mark: ChangeMark): void;
  /**
   * The connection was lost, or messages were dropped: changes in between are unknown until
   * re-read.
   */
  onInterrupted(reason: string): void;
}

export interface ChangeEnvelope {
  /**
   * Identifies the store's history; another value than the reader's means that a backup was
   * restored.
   */
  historyId: string;
  revision: number;
  /**
   * Revision of the previous change of this filter's scope (resource, or resource and node); 0 when
   * there was none known.
   */
  previous: number;
  type: "put" | "delete";
  namespace: string;
  name: string;
  /**
   * The object at `revision` as JSON bytes (for a delete its final state); absent for Secrets and
   * objects over 256 KiB.
   */
  object?: Uint8Array;
}

export interface ChangeMark {
  historyId: string;
  /** The last revision that changed the resource. */
  revision: number;
}
