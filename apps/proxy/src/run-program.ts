import { execFile } from "node:child_process";

export interface RunOptions {
  /** What it reads. Default: nothing. */
  readonly input?: string;
  /** What takes longer is ended. */
  readonly timeoutMs: number;
  /** What prints more is ended. */
  readonly outputBytesMax: number;
}

/** How a program failed: `code` is its exit code, or the system's word for why it did not start. */
export interface ProgramFailure extends Error {
  readonly code?: string | number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, and gives what it printed. @throws ProgramFailure */
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
    // One that ends before it has read everything tells by its exit code.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
