import {
  type ConfiguredProgram,
  type ControllerProgramConfig,
  controllerProgramConfig,
  controllerProgramFlags,
  flag,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import type { AutoscalerOptions } from "./model/options.ts";

/** The command line of the service, completed. */
export interface ClusterAutoscalerConfig extends ControllerProgramConfig {
  cloudSocket: string;
  /** The time that an answer of the cloud may take. */
  callTimeoutMs: number;
  scaling: AutoscalerOptions;
}

const program: ConfiguredProgram = {
  name: "cluster-autoscaler",
  description: "Orders machines of a cloud for pods without room, and gives back those that are not needed.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "ClusterAutoscalerConfiguration" },
};

const flags = {
  ...controllerProgramFlags({ name: "cluster-autoscaler", port: 8085, lease: "cluster-autoscaler" }),
  "cloud-socket": flag.path({
    help: "Path of the cloud's socket",
    required: true,
    example: "/run/kintsugi/cloud.sock",
  }),
  timeout: flag.durationMs({ help: "Time that an answer of the cloud may take", fallback: 15_000 }),
  "scan-interval": flag.durationMs({ help: "Interval between two looks at the cluster", fallback: 10_000 }),
  "scale-down-unneeded-time": flag.durationMs({
    help: "Time that a node has to be unneeded before it goes",
    fallback: 600_000,
  }),
  "scale-down-delay-after-add": flag.durationMs({
    help: "Time after an order of machines in which no node goes",
    fallback: 600_000,
  }),
  "scale-down-delay-after-failure": flag.durationMs({
    help: "Time after a failed removal in which no node goes",
    fallback: 180_000,
  }),
  "scale-down-unready-time": flag.durationMs({
    help: "Time that a node has to be not ready before it goes",
    fallback: 1_200_000,
  }),
  "scale-down-utilization-threshold": flag.number({
    help: "Share of a node that its pods request, above which the node stays",
    fallback: 0.5,
  }),
  "max-node-provision-time": flag.durationMs({
    help: "Time in which a machine has to become a node",
    fallback: 900_000,
  }),
  "max-pod-eviction-time": flag.durationMs({
    help: "Time in which the pods of a node that goes have to leave it",
    fallback: 600_000,
  }),
  "initial-node-group-backoff-duration": flag.durationMs({
    help: "First pause of a group that failed; it doubles with each failure",
    fallback: 300_000,
  }),
  "max-node-group-backoff-duration": flag.durationMs({
    help: "Longest pause of a group that failed",
    fallback: 1_800_000,
  }),
  "max-empty-bulk-delete": flag.count({ min: 1, max: 100, help: "Empty nodes that go at once", fallback: 10 }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): ClusterAutoscalerConfig {
  const given = readFlags(program, flags, argv);
  return {
    ...controllerProgramConfig(given),
    cloudSocket: given["cloud-socket"],
    callTimeoutMs: given.timeout,
    scaling: {
      scanIntervalMs: given["scan-interval"],
      unneededMs: given["scale-down-unneeded-time"],
      delayAfterAddMs: given["scale-down-delay-after-add"],
      delayAfterFailureMs: given["scale-down-delay-after-failure"],
      unreadyMs: given["scale-down-unready-time"],
      utilizationMax: given["scale-down-utilization-threshold"],
      provisionMaxMs: given["max-node-provision-time"],
      drainMaxMs: given["max-pod-eviction-time"],
      backoffInitialMs: given["initial-node-group-backoff-duration"],
      backoffMaxMs: given["max-node-group-backoff-duration"],
      emptyBulkMax: given["max-empty-bulk-delete"],
    },
  };
}
