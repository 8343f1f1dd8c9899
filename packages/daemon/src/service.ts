import { setFlagsFromString } from "node:v8";
import { messageOf } from "@kintsugi/api";
import type { Logger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { FlagError, HelpRequested } from "./config/read-flags.ts";
import { collectGarbageAtRest, ownHeap } from "./garbage-at-rest.ts";
import { createLogger, type LogLevel } from "./logger.ts";
import { exitCodes, type Loop, runUntilSignal } from "./run-until-signal.ts";

export interface Service<Config> {
  name: string;
  /**
   * The umask of every file and directory of the process, including files of libraries. Default:
   * the caller's umask.
   */
  umask?: number;
  /**
   * A user starts the program by hand. A failure is printed in one sentence, and is logged with its
   * stack only if it is a bug of the program.
   */
  isStartedByHand?: true;
  /**
   * The parent process ends the service. A terminal and systemd send a signal to all processes, and
   * only the parent process decides when the service ends.
   */
  ignoresSignals?: true;
  /** Reads the command line. @throws FlagError, HelpRequested. */
  configure(argv: readonly string[]): Config;
  /** Builds the real adapters and returns the loops to run. */
  start(config: Config, log: Logger): Promise<readonly Loop[]>;
}

/**
 * The whole life of a service's process: configure, start, run until a signal, exit. Exit codes: 0
 * stopped by a signal, 1 failed, 2 the command line is wrong.
 */
export async function runService<Config extends { logLevel: LogLevel }>(service: Service<Config>): Promise<void> {
  if (service.umask !== undefined) process.umask(service.umask);
  if (service.ignoresSignals) for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => {});
  const config = readOrExplain(service.name, () => service.configure(process.argv.slice(2)));
  // Must not be called earlier, because V8 accepts compiled code only with the flags of the run in
  // which the code was made, which ends with --help (tools/make-code-cache.mjs).
  keepGarbageYoung();
  const log = createLogger({ service: service.name, level: config.logLevel });
  const fail = (error: unknown) => endFailed(service, log, error);
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  try {
    const loops = await service.start(config, log);
    if (service.isStartedByHand !== true) collectGarbageAtRest({ clock: systemClock, ...ownHeap });
    await runUntilSignal(loops, log, { signals: service.ignoresSignals ? [] : undefined });
    log.info("stopped");
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}

/**
 * Keeps V8 from allocating new objects in the old generation. V8 permanently pretenures the objects
 * of a line of code once they have survived a few young collections, as the requests of a burst do.
 * Each later request then leaves a piece in the old generation, which retains the rest of the
 * request until a full collection (docs/benchmarks/scale.md, "Garbage that V8 takes for old").
 */
function keepGarbageYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/**
 * Returns the result of `read`. If it throws HelpRequested or FlagError, the process prints the
 * message and exits.
 */
export function readOrExplain<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof HelpRequested) {
      process.stdout.write(error.message);
      process.exit(0);
    }
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exit(exitCodes.usage);
  }
}

/**
 * The process logs the failure and prints it in one sentence, for a user who has started it by
 * hand. A supervisor restarts the process.
 */
function endFailed(
  { name, isStartedByHand }: Pick<Service<unknown>, "name" | "isStartedByHand">,
  log: Logger,
  error: unknown,
): never {
  if (isStartedByHand !== true || isMistake(error)) log.error("service failed", { error });
  const causes = error instanceof AggregateError ? error.errors : [error];
  for (const cause of causes) process.stderr.write(`${name}: ${messageOf(cause)}\n`);
  process.exit(exitCodes.failed);
}

/** Returns true for an error that neither a user, the host nor another program may cause. */
function isMistake(error: unknown): boolean {
  const kinds = [TypeError, RangeError, ReferenceError, SyntaxError, AggregateError];
  return !(error instanceof Error) || error.name === "AssertionError" || kinds.some((kind) => error instanceof kind);
}
