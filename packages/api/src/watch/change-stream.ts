/**
 * The port through which informers are notified of changes without polling. Messages only notify
 * readers, and the API server remains authoritative. In production it is NATS, in tests and
 * simulations a bus in memory.
 */
export interface ChangeStream {
  /**
   * Starts to receive. Resolves once the bus has confirmed the subscription, so that a later list
   * is complete. Ends when `signal` aborts.
   * @throws when the bus is unreachable; the caller continues with an HTTP watch and tries again.
   */
  subscribe(filter: ChangeFilter, handlers: ChangeHandlers, signal: AbortSignal): Promise<void>;
  /**
   * Parses the object in a change's bytes, on demand. The object may be shared and must not be
   * modified. Default: `JSON.parse`.
   * @throws SyntaxError for invalid JSON.
   */
  readonly parse?: ParseChanged | undefined;
}

/** Parses the bytes of a change with this revision. */
export type ParseChanged = <T extends object>(bytes: Uint8Array, revision: number) => T;

/** The two possible filters: one whole resource, or the pods, node or lease of one node. */
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
   * Changes arrive in publishing order. A gap is detected when `previous` is newer than the
   * reader's position.
   */
  onChange(change: ChangeEnvelope): void;
  /**
   * The relay's regular report of the last revision of the filtered resource; not sent for node
   * filters.
   */
  onMark(mark: ChangeMark): void;
  /**
   * The connection was lost, or messages were dropped: changes in the meantime are unknown until
   * the next read.
   */
  onInterrupted(reason: string): void;
}

export interface ChangeEnvelope {
  /**
   * Identifies the store's history; a value that differs from the reader's means that a backup was
   * restored.
   */
  historyId: string;
  revision: number;
  /**
   * Revision of the previous change of this filter's scope (resource, or resource and node); 0 if
   * it is not known.
   */
  previous: number;
  type: "put" | "delete";
  namespace: string;
  name: string;
  /**
   * The object at `revision` as JSON bytes (for a delete, its final state); absent for Secrets and
   * objects over 256 KiB.
   */
  object?: Uint8Array;
}

export interface ChangeMark {
  historyId: string;
  /** The last revision that changed the resource. */
  revision: number;
}
