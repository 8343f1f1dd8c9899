import { execFile } from "node:child_process";

/** Commands of the host respond within this time; a command that takes longer is stuck. */
const commandTimeoutMs = 20_000;

interface CommandOptions {
  /** The program's standard input; empty by default. */
  input?: string;
  /** Time after which the program is ended. Default: 20 s. */
  timeoutMs?: number;
}

/**
 * Runs a program of the host and returns its output.
 * @throws CommandFailed with its output.
 */
export function runCommand(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      { timeout: options.timeoutMs ?? commandTimeoutMs, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
        const said = missing ? `${program} is not installed` : stderr.trim() || error.message;
        reject(new CommandFailed(`${program} ${args.join(" ")}: ${said}`, { cause: error }));
      },
    );
    if (options.input !== undefined) child.stdin?.end(options.input);
  });
}

class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}
