import { type ChildProcess, spawn } from "node:child_process";

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  input?: string;
  /** Default 60 s. */
  timeoutMs?: number;
}

const children = new Set<ChildProcess>();
process.once("exit", () => children.forEach((child) => child.kill("SIGKILL")));

/** Ensures that a program does not outlive this process, if this process ends normally. */
export function endWithThis<T extends ChildProcess>(child: T): T {
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Runs a program to its end; never throws for its exit code. */
export function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      env: { ...process.env, ...options.env },
      timeout: options.timeoutMs ?? 60_000,
      stdio: ["pipe", "pipe", "pipe"],
    });
    endWithThis(child);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
  });
}

/**
 * Runs a program to its end, and returns its output.
 * @throws Error with its output when it fails.
 */
export async function mustRun(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, options);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`);
  return stdout;
}

/**
 * Repeats `look` until it returns a value;
 * @throws with `what` and the last result after `waitMs`.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  waitMs = 30_000,
): Promise<T> {
  const startedMs = performance.now();
  const deadline = startedMs + waitMs;
  let lastError: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) {
      const last = lastError instanceof Error ? `; at last: ${lastError.message}` : "";
      throw new Error(`not seen within ${waitMs / 1000} s: ${what}${last}`, { cause: lastError });
    }
    // A check usually runs kubectl, and slow changes are checked less often: a short-lived state is
    // found right at the beginning.
    const pauseMs = Math.min(500, 100 + (performance.now() - startedMs) / 10);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
