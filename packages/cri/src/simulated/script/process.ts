/** The surroundings of a scripted process. */
export interface ProcessWorld {
  /** Resolves after the time, or when the process is killed. Never rejects. */
  sleep(durationMs: number): Promise<void>;
  write(stream: "stdout" | "stderr", text: string): void;
  /** The text of its standard input, once the input has ended; absent without input. */
  readonly input?: Promise<string>;
  /** Writable files of the container, by absolute path. */
  files: Map<string, string>;
  /** Uses all memory: ends the process immediately if a limit is set. */
  exhaustMemory(): void;
  readonly killed: boolean;
}

/** A running program of a scripted container. */
export interface FakeProcess {
  /**
   * Resolves with the exit code when the program ends by itself or after SIGTERM; never after it
   * was killed.
   */
  readonly exited: Promise<number>;
  /** Delivers SIGTERM. */
  terminate(): void;
}
