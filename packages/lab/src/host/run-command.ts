import { execFile } from "node:child_process";

/** Commands of the host answer within this; one that does not is stuck. */
const commandTimeoutMs = 20_000;

/**
 * Runs a program of the host and returns its output.
 * @throws CommandFailed with its output.
 */
export function runCommand(program: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      { timeout: commandTimeoutMs, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
        const said = missing ? `${program} is not installed` : stderr.trim() || error.message;
        reject(new CommandFailed(`${program} ${args.join(" ")}: ${said}`, { cause: error }));
      },
    );
    if (input !== undefined) child.stdin?.end(input);
  });
}

class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}
