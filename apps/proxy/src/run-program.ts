import { execFile } from "node:child_process";

export interface RunOptions {
  /** The program's standard input. Default: empty. */
  readonly input?: string;
  /** Time limit, after which the program is killed. */
  readonly timeoutMs: number;
  /** Limit of the output, beyond which the program is killed. */
  readonly outputBytesMax: number;
}

/**
 * The failure of a program: `code` is its exit code, or the system's error code if it did not
 * start.
 */
export interface ProgramFailure extends Error {
  readonly code?: string | number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end, and returns its output.
 * @throws ProgramFailure
 */
export function runProgram(
  [program = "", ...args]: readonly string[],
  { input, timeoutMs, outputBytesMax }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: timeoutMs, maxBuffer: outputBytesMax },
      (error, stdout, stderr) => {
        if (error) reject(Object.assign(error, { stdout, stderr }));
        else resolve(stdout);
      },
    );
    // A program that ends before it has read everything reports that by its exit code.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
