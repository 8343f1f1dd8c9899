import {
  type ConfiguredProgram,
  type ControllerProgramConfig,
  controllerProgramConfig,
  controllerProgramFlags,
  FlagError,
  flagsOf,
  type FeatureConfig,
  featureConfig,
  featureFlags,
  optionValues,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { type ControllerManagerOptions, controllerOptions, findOptionProblem } from "./controller-options.ts";

/** The command line of the controller-manager, completed. */
export interface ControllerManagerConfig extends ControllerProgramConfig {
  features: FeatureConfig["features"];
  controllers: ControllerManagerOptions;
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
  ...controllerProgramFlags({ name: "controller-manager", port: 10257, lease: "kube-controller-manager" }),
  ...featureFlags,
  ...flagsOf(controllerOptions),
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
    ...controllerProgramConfig(given),
    features: featureConfig(given).features,
    controllers,
  };
}
