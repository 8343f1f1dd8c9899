import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { formatMicroTime } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

/** The destination of containers' logs. */
export interface LogSink {
  append(path: string, text: string): void;
}

/** Log files of a simulation: in memory, by path. */
export class MemoryLogs implements LogSink {
  readonly #files = new Map<string, string>();

  append(path: string, text: string): void {
    this.#files.set(path, (this.#files.get(path) ?? "") + text);
  }

  read(path: string): string {
    return this.#files.get(path) ?? "";
  }

  /** Performs the renaming of a rotation. */
  rename(from: string, to: string): void {
    this.#files.set(to, this.read(from));
    this.#files.delete(from);
  }
}

/**
 * Real files, for a kubelet in another process. A file that was renamed is created again, as after
 * ReopenContainerLog.
 */
export class FileLogs implements LogSink {
  append(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, text);
  }
}

/**
 * Writes a container's output in CRI's log format: "<time> <stream> <tag> <line>", where the tag is
 * F for a whole line and P for a part without its end.
 */
export class LogWriter {
  readonly #clock: Clock;
  readonly #sink: LogSink;
  readonly #path: string;

  /** All output is dropped if the path is empty, as in CRI. */
  constructor(clock: Clock, sink: LogSink, path: string) {
    this.#clock = clock;
    this.#sink = sink;
    this.#path = path;
  }

  write(stream: "stdout" | "stderr", text: string): void {
    if (this.#path === "" || text === "") return;
    const time = formatMicroTime(this.#clock.nowMs());
    const lines = text.split("\n");
    const rest = lines.pop() ?? "";
    const records = lines.map((line) => `${time} ${stream} F ${line}\n`);
    if (rest !== "") records.push(`${time} ${stream} P ${rest}\n`);
    this.#sink.append(this.#path, records.join(""));
  }
}
