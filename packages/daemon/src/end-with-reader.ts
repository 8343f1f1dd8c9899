import type { EventEmitter } from "node:events";

/**
 * A shell's exit code for a program that SIGPIPE has ended: 128 + 13. Node.js ignores that signal.
 */
const brokenPipeExitCode = 141;

/**
 * Exits the process when its output is no longer read, as with `kintsugi timeline | head`. If the
 * system rejects the output (a full disk), the process prints an error and exits with 1. A closed
 * terminal is ignored, because the process then gets SIGHUP and may have work to finish.
 */
export function endWithReader(
  output: EventEmitter & { readonly isTTY?: boolean },
  exit = (code: number): void => process.exit(code),
  errors: { write(text: string): void } = process.stderr,
): void {
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EIO" && output.isTTY === true) return;
    if (error.code === "EPIPE") return exit(brokenPipeExitCode);
    // Errors without a system call are bugs of this program.
    if (error.syscall === undefined) throw error;
    errors.write(`ERROR: the output cannot be written: ${error.message}\n`);
    exit(1);
  });
}
