import { type ClusterAccess, createHttpClient, openKubeconfig } from "@kintsugi/client";
import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  candidateOf,
  type ConfiguredProgram,
  type ControllerProgramConfig,
  controllerProgramConfig,
  controllerProgramFlags,
  createHealthServer,
  createMetrics,
  type DefinedService,
  defineService,
  type FlagTable,
  type FlagValues,
  followFiles,
  type Loop,
  ownFileKind,
  version,
} from "@kintsugi/daemon";
import type { ClusterBus, createClusterBus } from "@kintsugi/watch-stream";

type CommonFlags = ReturnType<typeof controllerProgramFlags>;
type OpenBus = typeof createClusterBus;

export interface ProgramDefinition<Options extends FlagTable, Own, Bus extends OpenBus | undefined> {
  /** The name of the program, its kubeconfig and its certificate: "scheduler". */
  readonly name: string;
  readonly description: string;
  /** The kind of its configuration file. Default: Kintsugi's own, by the name. */
  readonly file?: ConfiguredProgram["file"];
  /** The port of health and metrics. */
  readonly port: number;
  /** The name of its Lease: "kube-scheduler". */
  readonly lease: string;
  /** The flags in addition to the flags that every program of controllers has. */
  readonly options: Options;
  /** Completes the values of the flags. @throws FlagError */
  read(given: FlagValues<Options>): Own;
  /**
   * Opens the bus, which has changes of objects. Each program passes its own function, because a
   * program without a bus does not load the code of the bus.
   */
  readonly bus?: Bus;
  start(context: ProgramContext<Own, Bus>): Promise<ProgramParts> | ProgramParts;
}

/** The surroundings of a program that starts. */
export interface ProgramContext<Own, Bus extends OpenBus | undefined = OpenBus | undefined> {
  readonly config: ControllerProgramConfig & Own;
  readonly log: Logger;
  readonly clock: typeof systemClock;
  readonly random: typeof systemRandom;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly access: ClusterAccess;
  readonly client: ReturnType<typeof createHttpClient>;
  readonly changes: Bus extends OpenBus ? ClusterBus["changes"] : undefined;
  /** The program's candidacy for its Lease; undefined with `--leader-elect=false`. */
  readonly leaderElection: ReturnType<typeof candidateOf<NonNullable<ControllerProgramConfig["leaderElection"]>>>;
}

interface ProgramParts {
  /** The name of the loop in logs. */
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
  /**
   * The health checks in addition to "ping", by name. A failing check throws an error whose message
   * is a sentence.
   */
  readonly checks?: Readonly<Record<string, () => void>>;
}

/**
 * Defines a program that runs controllers: one table of flags is its command line, its file and its
 * help; metrics, health, kubeconfig, client, bus and candidacy are made for it.
 */
export function defineProgram<
  const Options extends FlagTable,
  Own extends object,
  Bus extends OpenBus | undefined = undefined,
>(definition: ProgramDefinition<Options, Own, Bus>): DefinedService<ControllerProgramConfig & Own> {
  return defineService({
    name: definition.name,
    description: definition.description,
    file: definition.file ?? ownFileKind(definition.name),
    options: { ...controllerProgramFlags(definition), ...definition.options },
    read: (values) => {
      // A program may declare a common option again only with another form.
      const given = values as FlagValues<Options> & FlagValues<CommonFlags>;
      return { ...controllerProgramConfig(given), ...definition.read(given) };
    },
    start: (config, log) => start(definition, config, log),
  });
}

async function start<Options extends FlagTable, Own extends object, Bus extends OpenBus | undefined>(
  definition: ProgramDefinition<Options, Own, Bus>,
  config: ControllerProgramConfig & Own,
  log: Logger,
): Promise<readonly Loop[]> {
  const { name } = definition;
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const userAgent = `kintsugi-${name}/v${version}`;
  const client = createHttpClient({ clock, random, metrics }, { ...access, credentials, userAgent });
  const bus = definition.bus?.(
    { clock, log, call: (request) => client.call(request) },
    { service: name, ca: access.ca ?? "" },
  );
  const surroundings = { config, log, clock, random, metrics, access, client };
  const parts = await definition.start({
    ...surroundings,
    changes: bus?.changes as ProgramContext<Own, Bus>["changes"],
    leaderElection: candidateOf(config.leaderElection, random),
  });
  const checks = { ping: () => {}, ...parts.checks };
  return [
    createHealthServer({ clock, log, metrics, checks }, config.health),
    ...(bus === undefined ? [] : [bus]),
    followFiles({ clock, log }, followed),
    { name: parts.name, run: (signal) => parts.run(signal) },
  ];
}
