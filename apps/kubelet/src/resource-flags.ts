import { cpuMillicores, memoryBytes, type ProfileName, profiles } from "@kintsugi/api";
import { asMapping, type FileForm, flag, FlagError, type FlagValues } from "@kintsugi/daemon";
import { z } from "zod";
import type { PodCgroupsOptions } from "./containers/cgroups/pod-cgroups.ts";
import type { EvictionOptions } from "./node/eviction/eviction-manager.ts";
import { evictionHardDefault, parseThresholds } from "./node/eviction/thresholds.ts";
import type { GarbageCollectorOptions } from "./node/cleanup/garbage-collector.ts";
import type { LogRotatorOptions } from "./node/cleanup/log-rotator.ts";
import type { ReservedResources } from "./model/node-context.ts";
import type { StatsProviderOptions } from "./node/stats/stats-provider.ts";

/** The options for the node's own resources. */
export interface ResourceOptions {
  /**
   * The reserved resources for the system and for Kubernetes' own components (`--system-reserved`,
   * `--kube-reserved`).
   */
  reserved: ReservedResources;
  podCgroups: PodCgroupsOptions;
  eviction: EvictionOptions;
  garbage: GarbageCollectorOptions;
  logRotation: LogRotatorOptions;
  stats: StatsProviderOptions;
}

/** Upstream's period of container garbage collection; it has no flag. */
const containerGcPeriodMs = 60_000;

/** The file has upstream's mapping, and the command line has "signal<value". */
const asThresholds: FileForm<readonly string[]> = {
  schema: z
    .record(z.string(), z.string())
    .transform((entries) => Object.entries(entries).map(([signal, value]) => `${signal}<${value}`)),
  write: (texts) => Object.fromEntries(texts.map((text) => text.split("<"))) as Record<string, string>,
};

/**
 * The flags that protect the node's own resources. They have the names of upstream's flags, or of
 * the fields in its file where upstream has no flag.
 */
export const resourceFlags = {
  "system-reserved": flag.list({
    help: "Resources reserved for the operating system, such as cpu=100m,memory=200Mi,ephemeral-storage=1Gi",
    form: asMapping,
    example: ["cpu=100m", "memory=200Mi"],
  }),
  "kube-reserved": flag.list({
    help: "Resources reserved for the node's Kubernetes daemons, such as cpu=100m,memory=200Mi,ephemeral-storage=1Gi",
    form: asMapping,
    example: ["cpu=100m", "memory=200Mi"],
  }),
  "enforce-node-allocatable": flag.list({
    help: "Cgroups that are limited to the allocatable resources: pods, or none",
    fallback: ["pods"],
  }),
  "pod-max-pids": flag.count({
    min: -Infinity,
    help: "Largest number of processes and threads of one pod; a negative value means no limit",
    key: "podPidsLimit",
    fallback: -1,
  }),
  "eviction-hard": flag.list({
    help: "Thresholds below which pods are evicted immediately, such as memory.available<1Gi,nodefs.available<10%; they replace all defaults",
    fallback: evictionHardDefault,
    form: asThresholds,
  }),
  "eviction-soft": flag.list({
    help: "Thresholds below which pods are evicted after a grace period, such as memory.available<1.5Gi",
    example: ["memory.available<1.5Gi"],
    form: asThresholds,
  }),
  "eviction-soft-grace-period": flag.list({
    help: "Grace periods of the soft thresholds, such as memory.available=1m30s",
    example: ["memory.available=1m30s"],
    form: asMapping,
  }),
  "eviction-minimum-reclaim": flag.list({
    help: "Amounts that must be free beyond the threshold before an eviction ends, such as nodefs.available=500Mi",
    example: ["nodefs.available=500Mi"],
    form: asMapping,
  }),
  "eviction-max-pod-grace-period": flag.count({
    help: "Longest grace period in seconds of a pod that is evicted for a soft threshold",
    fallback: 0,
  }),
  "eviction-pressure-transition-period": flag.durationMs({
    help: "Time that a pressure condition remains after the pressure has ended",
    byProfile: (timers) => timers.pressureTransitionPeriodMs,
  }),
  "image-gc-high-threshold": flag.count({
    max: 100,
    help: "Percentage of the image file system in use above which images are removed; 100 disables the removal",
    fallback: 85,
    key: "imageGCHighThresholdPercent",
  }),
  "image-gc-low-threshold": flag.count({
    max: 100,
    help: "Percentage of the image file system in use down to which images are removed",
    fallback: 80,
    key: "imageGCLowThresholdPercent",
  }),
  "minimum-image-ttl-duration": flag.durationMs({
    help: "Shortest age of an image that is removed",
    fallback: 120_000,
    key: "imageMinimumGCAge",
  }),
  "image-maximum-gc-age": flag.durationMs({
    help: "Time without use after which an image is removed; 0 disables it",
    fallback: 0,
    key: "imageMaximumGCAge",
  }),
  "image-gc-period": flag.durationMs({
    help: "Kintsugi's own: interval at which images are checked",
    fallback: 300_000,
  }),
  "pod-infra-container-image": flag.text({
    help: "Image of the sandboxes, which is never removed",
    fallback: "registry.k8s.io/pause:3.9",
  }),
  "maximum-dead-containers-per-container": flag.count({
    help: "Number of ended containers to retain for each container",
    fallback: 1,
  }),
  "maximum-dead-containers": flag.count({
    min: -Infinity,
    help: "Number of ended containers to retain on the node; a negative value means no limit",
    fallback: -1,
  }),
  "minimum-container-ttl-duration": flag.durationMs({
    help: "Shortest age of an ended container that is removed",
    fallback: 0,
  }),
  "container-log-max-size": flag.text({
    help: "Size from which a container's log is rotated; a negative value disables rotation",
    fallback: "10Mi",
  }),
  "container-log-max-files": flag.count({
    min: 2,
    help: "Log files of each container, including the current file",
    fallback: 5,
  }),
  "container-log-monitor-interval": flag.durationMs({
    help: "Interval at which logs are checked",
    fallback: 10_000,
  }),
  "volume-stats-agg-period": flag.durationMs({
    help: "Shortest interval between two measurements of volumes and logs",
    fallback: 60_000,
  }),
};

type Flags = FlagValues<typeof resourceFlags> & { profile: ProfileName };

/** @throws FlagError with a sentence that names the fault. */
export function resourceOptions(flags: Flags): ResourceOptions {
  return {
    reserved: sum(
      parseReserved("--system-reserved", flags["system-reserved"] ?? []),
      parseReserved("--kube-reserved", flags["kube-reserved"] ?? []),
    ),
    podCgroups: {
      enforceNodeAllocatable: isAllocatableEnforced(flags["enforce-node-allocatable"]),
      podPidsMax: flags["pod-max-pids"] > 0 ? flags["pod-max-pids"] : undefined,
    },
    eviction: {
      thresholds: explained(() =>
        parseThresholds({
          hard: flags["eviction-hard"],
          soft: flags["eviction-soft"] ?? [],
          softGracePeriod: flags["eviction-soft-grace-period"] ?? [],
          minimumReclaim: flags["eviction-minimum-reclaim"] ?? [],
        }),
      ),
      pressureTransitionPeriodMs: flags["eviction-pressure-transition-period"],
      monitoringPeriodMs: profiles[flags.profile].nodeStatusUpdateIntervalMs,
      maxPodGracePeriodSeconds: flags["eviction-max-pod-grace-period"],
    },
    garbage: {
      containerPeriodMs: containerGcPeriodMs,
      images: imageOptions(flags),
      containers: {
        maxPerPodContainer: flags["maximum-dead-containers-per-container"],
        maxContainers: flags["maximum-dead-containers"],
        minAgeMs: flags["minimum-container-ttl-duration"],
      },
      imagePeriodMs: flags["image-gc-period"],
      sandboxImage: flags["pod-infra-container-image"],
    },
    logRotation: {
      maxSizeBytes: logSizeBytes(flags["container-log-max-size"]),
      maxFiles: atLeastTwo(flags["container-log-max-files"]),
      periodMs: flags["container-log-monitor-interval"],
    },
    stats: { volumeStatsAggPeriodMs: flags["volume-stats-agg-period"] },
  };
}

function imageOptions(flags: Flags): GarbageCollectorOptions["images"] {
  const high = flags["image-gc-high-threshold"];
  const low = flags["image-gc-low-threshold"];
  if (high < 0 || high > 100 || low < 0 || low > high) {
    throw new FlagError(
      `--image-gc-low-threshold ${low} and --image-gc-high-threshold ${high} must be from 0 to 100, and the low threshold must not be above the high threshold`,
    );
  }
  return {
    highThresholdPercent: high,
    lowThresholdPercent: low,
    minAgeMs: flags["minimum-image-ttl-duration"],
    maxAgeMs: flags["image-maximum-gc-age"],
  };
}

/** @throws FlagError for upstream's other values, which need cgroups of the node's own services. */
function isAllocatableEnforced(whom: readonly string[]): boolean {
  const wrong = whom.find((each) => each !== "pods" && each !== "none" && each !== "");
  if (wrong !== undefined) throw new FlagError(`--enforce-node-allocatable: "${wrong}" is neither pods nor none`);
  return whom.includes("pods");
}

function logSizeBytes(text: string): number {
  return text.startsWith("-") ? -1 : explained(() => memoryBytes(text));
}

function atLeastTwo(maxFiles: number): number {
  if (maxFiles < 2) throw new FlagError(`--container-log-max-files ${maxFiles} must be at least 2`);
  return maxFiles;
}

function parseReserved(flagName: string, entries: readonly string[]): ReservedResources {
  const amounts = new Map(
    entries.map((text): [string, string] => {
      const at = text.indexOf("=");
      if (at <= 0) throw new FlagError(`${flagName}: "${text}" is not resource=amount`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
  return explained(() => ({
    cpuMillicores: cpuMillicores(amounts.get("cpu")),
    memoryBytes: memoryBytes(amounts.get("memory")),
    ephemeralStorageBytes: memoryBytes(amounts.get("ephemeral-storage")),
  }));
}

function sum(a: ReservedResources, b: ReservedResources): ReservedResources {
  return {
    cpuMillicores: a.cpuMillicores + b.cpuMillicores,
    memoryBytes: a.memoryBytes + b.memoryBytes,
    ephemeralStorageBytes: a.ephemeralStorageBytes + b.ephemeralStorageBytes,
  };
}

function explained<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new FlagError((error as Error).message);
  }
}
