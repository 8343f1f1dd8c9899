/** A backend of the audit log. */
export interface AuditSink {
  /** True where a request whose arrival is not recorded is rejected. */
  readonly isStrict: boolean;
  /**
   * Takes one event, a line of JSON. Resolves with false where the event is lost and its request
   * waits for it; with true, immediately, where nothing waits.
   */
  append(line: string): Promise<boolean>;
  /** Hands over the events that wait, and ends. */
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
