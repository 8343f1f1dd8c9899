import {
  type ConfiguredProgram,
  type ControllerProgramConfig,
  controllerProgramConfig,
  controllerProgramFlags,
  flag,
  inSeconds,
  type FeatureConfig,
  featureConfig,
  featureFlags,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { z } from "zod";

/** The command line of the scheduler, completed. */
export interface SchedulerConfig extends ControllerProgramConfig {
  schedulerName: string;
  features: FeatureConfig["features"];
  podInitialBackoffMs: number;
  podMaxBackoffMs: number;
  podMaxWaitingMs: number;
}

/**
 * The file is upstream's kind; settings that upstream has only as flags stand in it under the
 * flag's name in camelCase.
 */
const program: ConfiguredProgram = {
  name: "scheduler",
  description: "Assigns pods without a node to nodes.",
  file: { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" },
};

const second = 1000;

const flags = {
  ...controllerProgramFlags({ name: "scheduler", port: 10259, lease: "kube-scheduler" }),
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and the client's credentials",
    required: true,
    example: "/etc/kintsugi/scheduler.kubeconfig",
    key: "clientConnection.kubeconfig",
  }),
  "scheduler-name": flag.text({
    help: "Scheduler name of the pods that this scheduler places",
    fallback: "default-scheduler",
    key: "profiles",
    form: {
      schema: z
        .tuple([z.strictObject({ schedulerName: z.string() })], {
          error: "is a list of one profile: - schedulerName: NAME",
        })
        .transform(([only]) => only.schedulerName),
      write: (schedulerName) => [{ schedulerName }],
    },
  }),
  ...featureFlags,
  "pod-initial-backoff": flag.durationMs({
    help: "Delay after a pod's first failed attempt",
    fallback: second,
    key: "podInitialBackoffSeconds",
    form: inSeconds,
  }),
  "pod-max-backoff": flag.durationMs({
    help: "Longest delay after a failed attempt",
    fallback: 10 * second,
    key: "podMaxBackoffSeconds",
    form: inSeconds,
  }),
  "pod-max-in-unschedulable-pods-duration": flag.durationMs({
    help: "Time after which an unschedulable pod is retried without an event",
    fallback: 300 * second,
  }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): SchedulerConfig {
  const given = readFlags(program, flags, argv);
  return {
    ...controllerProgramConfig(given),
    schedulerName: given["scheduler-name"],
    features: featureConfig(given).features,
    podInitialBackoffMs: given["pod-initial-backoff"],
    podMaxBackoffMs: given["pod-max-backoff"],
    podMaxWaitingMs: given["pod-max-in-unschedulable-pods-duration"],
  };
}
