import { setFlagsFromString } from "node:v8";
import type { Logger } from "@kintsugi/api";
import { FlagError, HelpRequested } from "./config/flags.ts";
import { createLogger, type LogLevel } from "./logger.ts";
import { exitCodes, type Loop, runUntilSignal } from "./run-until-signal.ts";

export interface Service<Config> {
  name: string;
  /**
   * The permissions that every file and directory of the process lacks, those of libraries
   * included. Default the caller's.
   */
  umask?: number;
  /**
   * A user starts the program by hand: a failure is one sentence, and is logged with its stack only
   * where it is a mistake of the program.
   */
  isStartedByHand?: true;
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
  const config = readOrExplain(service.name, () => service.configure(process.argv.slice(2)));
  // Not before: V8 takes compiled code only with the flags of the run that it was made in, which
  // ends with --help (tools/make-code-cache.mjs).
  keepGarbageYoung();
  const log = createLogger({ service: service.name, level: config.logLevel });
  const fail = (error: unknown) => endFailed(service, log, error);
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  try {
    await runUntilSignal(await service.start(config, log), log);
    log.info("stopped");
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}

/**
 * Keeps V8 from placing new objects among the old ones, as it does for good with those of a line of
 * code once they have outlived a few collections of young objects: so do the requests of a burst.
 * Each later request leaves a piece among the old ones then, which keeps the rest of it until all
 * of the heap is collected (docs/benchmarks/scale.md, "Garbage that V8 takes for old").
 */
function keepGarbageYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/**
 * Returns the result of `read`; where it throws HelpRequested or FlagError the process prints it,
 * and ends.
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
 * hand; a supervisor starts it again.
 */
function endFailed(
  { name, isStartedByHand }: Pick<Service<unknown>, "name" | "isStartedByHand">,
  log: Logger,
  error: unknown,
): never {
  if (isStartedByHand !== true || isMistake(error)) log.error("service failed", { error });
  const causes = error instanceof AggregateError ? error.errors : [error];
  for (const cause of causes)
    process.stderr.write(`${name}: ${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(exitCodes.failed);
}

/** Reports whether an error is none that a user, the host or another program may cause. */
function isMistake(error: unknown): boolean {
  const kinds = [TypeError, RangeError, ReferenceError, SyntaxError, AggregateError];
  return !(error instanceof Error) || error.name === "AssertionError" || kinds.some((kind) => error instanceof kind);
}
