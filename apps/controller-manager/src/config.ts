import { profileNames } from "@kintsugi/api";
import {
  type ConfiguredProgram,
  flag,
  FlagError,
  flagsOf,
  type FeatureConfig,
  featureConfig,
  featureFlags,
  type LogLevel,
  logLevels,
  type HealthServerOptions,
  healthServerConfig,
  healthServerFlags,
  type LeaderElectionConfig,
  leaderElectionConfig,
  leaderElectionFlags,
  optionValues,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { type ControllerManagerOptions, controllerOptions, findOptionProblem } from "./controller-options.ts";

/** The command line of the controller-manager, completed. */
export interface ControllerManagerConfig {
  kubeconfig: string;
  health: HealthServerOptions;
  leaderElection: LeaderElectionConfig | undefined;
  features: FeatureConfig["features"];
  controllers: ControllerManagerOptions;
  logLevel: LogLevel;
}

/**
 * Upstream reads no file here, so the kind is ours; each setting has its flag's name in camelCase.
 */
const program: ConfiguredProgram = {
  name: "controller-manager",
  description: "Runs the controllers: node lifecycle, taint eviction, replica sets, garbage collection, namespaces.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "ControllerManagerConfiguration" },
};

/** The process's own; those of the controllers stand beside each of them. */
const flags = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and the client's credentials",
    required: true,
    example: "/etc/kintsugi/controller-manager.kubeconfig",
  }),
  ...healthServerFlags({ name: "controller-manager", port: 10257 }),
  ...leaderElectionFlags("kube-controller-manager"),
  ...featureFlags,
  ...flagsOf(controllerOptions),
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
};

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): ControllerManagerConfig {
  const given = readFlags(program, flags, argv);
  const controllers = optionValues(controllerOptions, given);
  const problem = findOptionProblem(controllers);
  if (problem !== undefined) throw new FlagError(problem);
  return {
    kubeconfig: given.kubeconfig,
    health: healthServerConfig(given),
    leaderElection: leaderElectionConfig(given),
    features: featureConfig(given).features,
    controllers,
    logLevel: given["log-level"],
  };
}
