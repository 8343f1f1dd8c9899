/** A backend of the audit log. */
export interface AuditSink {
  /** True where a request whose arrival is not recorded is rejected. */
  readonly isStrict: boolean;
  /**
   * Receives one event, a line of JSON. Resolves with false where the event is lost and its request
   * waits for it; resolves with true, immediately, where the request does not wait.
   */
  append(line: string): Promise<boolean>;
  /** Writes the waiting events, and ends. */
  close(): Promise<void>;
}

/** Backends that get the same events. */
export function unitedSinks(sinks: readonly AuditSink[]): AuditSink {
  const [only] = sinks;
  if (only !== undefined && sinks.length === 1) return only;
  return {
    isStrict: sinks.some(({ isStrict }) => isStrict),
    append: async (line) => (await Promise.all(sinks.map((sink) => sink.append(line)))).every(Boolean),
    close: async () => {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}
