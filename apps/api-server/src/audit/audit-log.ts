import type { Logger } from "@kintsugi/api";
import type { AuditMetrics } from "./audit-metrics.ts";
import type { AuditSink } from "./audit-sink.ts";

/** The destination to which events are written in the order of the calls, one call at a time. */
export interface AuditFile {
  /** Rejects where the text could not be written. */
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

export const auditLogModes = ["blocking", "blocking-strict", "batch"] as const;
export type AuditLogMode = (typeof auditLogModes)[number];

export interface AuditLogOptions {
  /**
   * "blocking": an answer waits until its event is written; "blocking-strict": in addition, a
   * request whose arrival cannot be written is rejected; "batch": requests never wait.
   */
  mode: AuditLogMode;
  /** Limit of waiting events in the mode "batch"; further events are lost. */
  waitingEventsMax: number;
}

/**
 * Limit of the size of all waiting events, in every mode, because a disk that hangs must not fill
 * the memory.
 */
const waitingCharactersMax = 64 * 1024 * 1024;

interface Waiting {
  readonly line: string;
  readonly done: (written: boolean) => void;
}

/**
 * Writes events in order. Each write contains all events that arrived during the previous write.
 */
export class AuditLog implements AuditSink {
  readonly #deps: { file: AuditFile; log: Logger; metrics: AuditMetrics };
  readonly #options: AuditLogOptions;
  #waiting: Waiting[] = [];
  #characters = 0;
  #writing: Promise<void> | undefined;

  constructor(deps: { file: AuditFile; log: Logger; metrics: AuditMetrics }, options: AuditLogOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  get isStrict(): boolean {
    return this.#options.mode === "blocking-strict";
  }

  /**
   * Resolves with false where the event is lost. In the mode "batch" it always resolves with true,
   * immediately.
   */
  append(line: string): Promise<boolean> {
    const { metrics } = this.#deps;
    const isBatch = this.#options.mode === "batch";
    const isFull =
      this.#characters + line.length > waitingCharactersMax ||
      (isBatch && this.#waiting.length >= this.#options.waitingEventsMax);
    if (isFull) {
      metrics.lost("log");
      return Promise.resolve(isBatch);
    }
    this.#characters += line.length;
    const written = new Promise<boolean>((done) => this.#waiting.push({ line, done }));
    this.#writing ??= this.#writeAll();
    return isBatch ? Promise.resolve(true) : written;
  }

  /** Writes the waiting events, and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#deps.file.close();
  }

  async #writeAll(): Promise<void> {
    const { file, log, metrics } = this.#deps;
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      let written = true;
      try {
        await file.write(taken.map(({ line }) => line).join(""));
      } catch (error) {
        written = false;
        log.error("audit events not written", { events: taken.length, error });
      }
      for (const { line, done } of taken) {
        this.#characters -= line.length;
        if (!written) metrics.lost("log");
        done(written);
      }
    }
    this.#writing = undefined;
  }
}
