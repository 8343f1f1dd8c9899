import { isApiError } from "@kintsugi/api";
import { ConnectionError, InvalidKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { endWithReader, UnusableDirectory, version } from "@kintsugi/daemon";
import { InvalidSpec, Refused, RootNeeded } from "@kintsugi/lab";
import { Command as Program, CommanderError } from "commander";
import { commands } from "./command-list.ts";
import { completeClusterName } from "./base/cluster-choice.ts";
import { AlreadyTold, CommandError, type CommandContext, type Runner } from "./base/command.ts";
import { followInterruption } from "./base/interruption.ts";
import { readConfig } from "./config.ts";
import { createTerminal } from "./output/terminal.ts";

/**
 * Exit codes: 0 success, 1 failure, 2 the command line is wrong; signals have the exit codes of a
 * shell.
 */
const exitCode = { failed: 1, usage: 2 } as const;

const expectedErrors = [
  CommandError,
  InvalidSpec,
  RootNeeded,
  Refused,
  ConnectionError,
  InvalidKubeconfig,
  UnusableDirectory,
];

for (const output of [process.stdout, process.stderr]) endWithReader(output);
const config = readConfig();
const interruption = followInterruption(process, (code) => process.exit(code));

const program = new Program("kintsugi")
  .description("Run self-healing Kubernetes clusters: real on this machine, or in one process without root")
  .version(version)
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
      signal: interruption.signal,
    };
    await work(context, ...args);
  };

const say = (line: string) => void (program.opts()["quiet"] === true || process.stderr.write(`${line}\n`));
program.hook("preAction", (_, command) => completeClusterName(command, { config, say }));
for (const command of commands) command.declare(program, run);
for (const command of program.commands) command.exitOverride();

program.parseAsync(process.argv).catch((error: unknown) => {
  process.exitCode = explain(error);
});

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode.usage;
  const interrupted = interruption.exitCode();
  if (interrupted !== undefined) {
    // An interrupted command may report what it has left behind.
    if (error instanceof CommandError && error !== interruption.signal.reason)
      process.stderr.write(`${error.message}\n`);
    return interrupted;
  }
  if (error instanceof AlreadyTold) return error.exitCode;
  const { message, stack } = error as Error;
  process.stderr.write(`${isExpected(error) ? `ERROR: ${message}` : `ERROR: ${stack ?? message}`}\n`);
  return exitCode.failed;
}

/**
 * Errors that a user, the host or the cluster may cause at any time. All other errors are bugs of
 * this program, and need their stack.
 */
function isExpected(error: unknown): boolean {
  const fromHost = error instanceof Error && "syscall" in error;
  return fromHost || isApiError(error) || expectedErrors.some((kind) => error instanceof kind);
}
