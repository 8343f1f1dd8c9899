import { isApiError } from "@kintsugi/api";
import { ConnectionError, InvalidKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { endWithReader, UnusableDirectory } from "@kintsugi/daemon";
import { InvalidSpec, Refused } from "@kintsugi/lab";
import { Command as Program, CommanderError } from "commander";
import { commands } from "./command-list.ts";
import { AlreadyTold, CommandError, type CommandContext, type Runner } from "./base/command.ts";
import { readConfig } from "./config.ts";
import { createTerminal } from "./output/terminal.ts";

/** Exit codes: 0 done, 1 could not be done, 2 the command line is wrong, 130 interrupted. */
const exitCode = { failed: 1, usage: 2, interrupted: 130 } as const;

const expectedErrors = [CommandError, InvalidSpec, Refused, ConnectionError, InvalidKubeconfig, UnusableDirectory];

endWithReader(process.stdout);
const config = readConfig();
const interrupt = new AbortController();
process.once("SIGINT", () => {
  interrupt.abort(new CommandError("interrupted"));
  process.once("SIGINT", () => process.exit(exitCode.interrupted));
});

const program = new Program("kintsugi")
  .description("Real clusters on this host that mend themselves before your eyes")
  .version("0.1.0")
  .option("-q, --quiet", "no progress")
  .exitOverride()
  .showSuggestionAfterError();

const run: Runner =
  (work) =>
  async (...args) => {
    const context: CommandContext = {
      clock: systemClock,
      random: systemRandom,
      config,
      terminal: createTerminal(
        { clock: systemClock, stdout: process.stdout, stderr: process.stderr },
        { colour: config.colour, quiet: program.opts()["quiet"] === true },
      ),
      signal: interrupt.signal,
    };
    await work(context, ...args);
  };

for (const command of commands) command.declare(program, run);
for (const command of program.commands) command.exitOverride();

program.parseAsync(process.argv).catch((error: unknown) => {
  process.exitCode = explain(error);
});

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode.usage;
  if (interrupt.signal.aborted) return exitCode.interrupted;
  if (error instanceof AlreadyTold) return error.exitCode;
  const { message, stack } = error as Error;
  process.stderr.write(`${isExpected(error) ? `ERROR: ${message}` : `ERROR: ${stack ?? message}`}\n`);
  return exitCode.failed;
}

/**
 * Errors that a user, the host or the cluster may cause at any time; all others are mistakes of
 * this program, and need their stack.
 */
function isExpected(error: unknown): boolean {
  const fromHost = error instanceof Error && "syscall" in error;
  return fromHost || isApiError(error) || expectedErrors.some((kind) => error instanceof kind);
}
