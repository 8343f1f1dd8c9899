import type { EventEmitter } from "node:events";
import { CommandError } from "./command.ts";

/** The signals that end a command, with a shell's exit code for each: 128 and its number. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export interface Interruption {
  /** Aborts with the first of the signals: the command stops the work that it has begun. */
  readonly signal: AbortSignal;
  /** Returns the exit code of the first signal; undefined before a signal. */
  exitCode(): number | undefined;
}

/**
 * Follows the signals that end a command. The same signal a second time ends the process
 * immediately. A different second signal is ignored, because the end of a session sends SIGTERM and
 * SIGHUP together.
 */
export function followInterruption(process: EventEmitter, exit: (code: number) => void): Interruption {
  const interrupt = new AbortController();
  let first: number | undefined;
  for (const [name, code] of Object.entries(exitCodes)) {
    process.once(name, () => {
      first ??= code;
      interrupt.abort(new CommandError("interrupted"));
      process.once(name, () => exit(code));
    });
  }
  return { signal: interrupt.signal, exitCode: () => first };
}
