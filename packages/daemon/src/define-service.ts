import { strict as assert } from "node:assert";
import type { Logger } from "@kintsugi/api";
import type { FlagTable, FlagValues } from "./config/flag.ts";
import { type ConfiguredProgram, type Program, readFlags } from "./config/read-flags.ts";
import { logLevelFlag } from "./config/log-level-flag.ts";
import { sampleFile } from "./config/sample-file.ts";
import type { LogLevel } from "./logger.ts";
import type { Loop } from "./run-until-signal.ts";
import { runService, type Service } from "./service.ts";

interface Logged {
  readonly logLevel: LogLevel;
}

export interface ServiceDefinition<Options extends FlagTable, Config>
  extends
    Program,
    Partial<Pick<ConfiguredProgram, "file" | "reload">>,
    Pick<Service<Config>, "umask" | "isStartedByHand" | "ignoresSignals"> {
  /** The words by which a user starts the service, for its help. Default: the name. */
  readonly command?: string;
  /** The flags. `--log-level` is added as the last flag unless the table has it. */
  readonly options: Options;
  /** Flags that the documented file shows in another form, such as a default of this host. */
  readonly sampled?: FlagTable;
  /** Completes the values of the flags. @throws FlagError */
  read(given: FlagValues<Options>): Config;
  /** Opens the real adapters, and returns the loops to run. */
  start(config: Config & Logged, log: Logger): Promise<readonly Loop[]> | readonly Loop[];
}

/** A service as a value: its main.ts runs it, and tests read its command line. */
export interface DefinedService<Config> {
  /** Returns the documented configuration file. Only for a service that reads a file. */
  readonly sample: () => string;
  /** @throws FlagError, HelpRequested. */
  readonly readConfig: (argv: readonly string[]) => Config & Logged;
  /** Runs the service until a signal, and exits the process. */
  readonly main: () => void;
}

/** Defines a service by one table of flags, which is its command line, its file and its help. */
export function defineService<const Options extends FlagTable, Config extends object>(
  definition: ServiceDefinition<Options, Config>,
): DefinedService<Config> {
  const { name, options, sampled, file } = definition;
  const table = "log-level" in options ? options : { ...options, ...logLevelFlag };
  const program = { ...definition, name: definition.command ?? name };
  const readConfig = (argv: readonly string[]) => {
    const given = readFlags(program, table, argv) as FlagValues<Options> & FlagValues<typeof logLevelFlag>;
    return { ...definition.read(given), logLevel: given["log-level"] };
  };
  return {
    sample: () => {
      assert(file !== undefined, `${name} reads no configuration file`);
      return sampleFile({ ...program, file }, { ...table, ...sampled });
    },
    readConfig,
    main: () =>
      void runService({
        ...definition,
        configure: readConfig,
        start: async (config, log) => definition.start(config, log),
      }),
  };
}
