import type { EventEmitter } from "node:events";

/**
 * A shell's exit code for a program that SIGPIPE has ended: 128 + 13. Node.js ignores that signal.
 */
const brokenPipeExitCode = 141;

/**
 * Ends the process when its output is no longer read, as with `kintsugi timeline | head`. An output
 * that fails otherwise (a full disk) ends it with the error. A terminal that has gone is passed
 * over: the process gets SIGHUP for that, and may have work to end.
 */
export function endWithReader(
  output: EventEmitter & { readonly isTTY?: boolean },
  exit = (code: number): void => process.exit(code),
): void {
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EIO" && output.isTTY === true) return;
    if (error.code !== "EPIPE") throw error;
    exit(brokenPipeExitCode);
  });
}
