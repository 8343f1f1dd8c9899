import type { Logger } from "@kintsugi/api";
import { FlagError, HelpRequested } from "./config/flags.ts";
import { createLogger, type LogLevel } from "./logger.ts";
import { exitCodes, type Loop, runUntilSignal } from "./run-until-signal.ts";

export interface Service<Config> {
  name: string;
  /** Reads the command line. @throws FlagError, HelpRequested. */
  configure(argv: readonly string[]): Config;
  /** Builds the real adapters and returns what has to run. */
  start(config: Config, log: Logger): Promise<readonly Loop[]>;
}

/**
 * The whole life of a service's process: configure, start, run until a signal, exit. Exit codes: 0 stopped as asked,
 * 1 failed, 2 the command line is wrong.
 */
export async function runService<Config extends { logLevel: LogLevel }>(service: Service<Config>): Promise<void> {
  let config: Config;
  try {
    config = service.configure(process.argv.slice(2));
  } catch (error) {
    if (error instanceof HelpRequested) {
      process.stdout.write(error.message);
      return;
    }
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${service.name}: ${error.message}\n`);
    process.exit(exitCodes.usage);
  }
  const log = createLogger({ service: service.name, level: config.logLevel });
  process.on("uncaughtException", (error) => fail(log, error));
  process.on("unhandledRejection", (error) => fail(log, error));
  try {
    await runUntilSignal(await service.start(config, log), log);
    log.info("stopped");
    process.exit(0);
  } catch (error) {
    fail(log, error);
  }
}

/** A broken promise of the program itself: say so, and let the supervisor start afresh. */
function fail(log: Logger, error: unknown): never {
  log.error("service failed", { error });
  process.exit(exitCodes.failed);
}
