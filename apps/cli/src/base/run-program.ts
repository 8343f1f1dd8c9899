import { execFile } from "node:child_process";
import { CommandError } from "./command.ts";

export interface ProgramSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory?: string;
  readonly signal: AbortSignal;
}

/** A program with more output than this is considered endless. */
const outputMaxBytes = 16 * 1024 * 1024;

/**
 * Runs a program to its end and returns its output.
 * @throws CommandError with the end of its output when it fails.
 */
export function runProgram(
  { environment, directory, signal }: ProgramSurroundings,
  program: string,
  args: readonly string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...environment },
      signal,
      maxBuffer: outputMaxBytes,
      ...(directory === undefined ? {} : { cwd: directory }),
    };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      const said = missing ? "it is not installed" : lastWords(stderr) || error.message;
      reject(new CommandError(`${[program, ...args].join(" ")}: ${said}`));
    });
  });
}

/** A Ruby program prints its stack below the message, so those lines are omitted. */
function lastWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !/^\s+from \//.test(line));
  return lines.slice(-3).join("\n");
}
