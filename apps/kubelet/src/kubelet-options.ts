import type { Taint } from "@kintsugi/api";
import { profiles } from "@kintsugi/api";
import type { PodCgroupsOptions } from "./containers/cgroups/pod-cgroups.ts";
import type { ImageKeeperOptions } from "./containers/images/image-keeper.ts";
import type { ReservedResources } from "./model/node-context.ts";
import type { GarbageCollectorOptions } from "./node/cleanup/garbage-collector.ts";
import type { HousekeepingOptions } from "./node/cleanup/housekeeping.ts";
import type { LogRotatorOptions } from "./node/cleanup/log-rotator.ts";
import type { EvictionOptions } from "./node/eviction/eviction-manager.ts";
import { evictionHardDefault, parseThresholds } from "./node/eviction/thresholds.ts";
import type { StatsProviderOptions } from "./node/stats/stats-provider.ts";
import type { RestartBackoffOptions } from "./pods/plan/restart-backoff.ts";
import type { StaticPodsOptions } from "./pods/static/static-pods.ts";
import type { PodWorkersOptions } from "./pods/work/pod-workers.ts";
import type { PlegOptions } from "./runtime/observation/pleg.ts";

export interface KubeletOptions {
  nodeName: string;
  hostname: string;
  /** The first is the node's InternalIP. */
  nodeIps: readonly string[];
  /** The addresses of this node's pods, if its network is set up for them already. Default "": the cluster says them. */
  podCidr: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  maxPods: number;
  /** Where the kubelet's own server listens; told in the Node. */
  port: number;
  /** For the system and for Kubernetes' own parts (`--system-reserved`, `--kube-reserved`). */
  reserved: ReservedResources;
  rootDirectory: string;
  podLogsDirectory: string;
  memoryDirectory: string;
  cgroupRoot: string;
  podCgroups: PodCgroupsOptions;
  /** Whether a proxy leads from this node to the addresses of Services. Default true: else pods are told where the API server itself is. */
  hasProxy: boolean;
  clusterDomain: string;
  clusterDnsServers: readonly string[];
  lease: { durationMs: number; renewIntervalMs: number };
  nodeStatus: { updateIntervalMs: number; reportIntervalMs: number };
  restartBackoff: RestartBackoffOptions;
  images: ImageKeeperOptions;
  pleg: PlegOptions;
  workers: PodWorkersOptions;
  housekeeping: HousekeepingOptions;
  /** When manifests are read, and how long their pods wait for an API. */
  staticPods: Omit<StaticPodsOptions, "nodeName">;
  stats: StatsProviderOptions;
  eviction: EvictionOptions;
  garbage: GarbageCollectorOptions;
  logRotation: LogRotatorOptions;
  /** Sandboxes and containers being started at once. Default 8: beyond, the runtime gets slower and not faster. */
  startsInFlightMax: number;
}

const timers = profiles.default;

/** What holds for a node unless it is told otherwise; identity and directories have no default. */
export const kubeletDefaults = {
  podCidr: "",
  labels: {},
  taints: [],
  maxPods: 110,
  port: 10250,
  reserved: { cpuMillicores: 0, memoryBytes: 0, ephemeralStorageBytes: 0 },
  podLogsDirectory: "/var/log/pods",
  cgroupRoot: "",
  podCgroups: { enforceNodeAllocatable: true, podPidsMax: undefined },
  hasProxy: true,
  clusterDomain: "cluster.local",
  clusterDnsServers: [],
  lease: { durationMs: timers.nodeLeaseDurationMs, renewIntervalMs: timers.nodeLeaseRenewIntervalMs },
  nodeStatus: {
    updateIntervalMs: timers.nodeStatusUpdateIntervalMs,
    reportIntervalMs: timers.nodeStatusReportIntervalMs,
  },
  restartBackoff: {
    floorMs: 1000,
    initialMs: timers.crashLoopBackoffInitialMs,
    maxMs: timers.crashLoopBackoffMaxMs,
    resetMs: timers.crashLoopBackoffResetMs,
  },
  images: { initialMs: 10_000, maxMs: 300_000, localImages: false, parallelPullsMax: 5 },
  pleg: { relistIntervalMs: 1000, relistIntervalWithEventsMs: 60_000, relistThresholdMs: 180_000 },
  workers: { resyncIntervalMs: 60_000, errorBackoffMs: 10_000 },
  housekeeping: { periodMs: 2000, directoryPeriodMs: 60_000 },
  staticPods: { periodMs: 20_000, apiWaitMs: 2000 },
  stats: { volumeStatsAggPeriodMs: 60_000 },
  eviction: {
    thresholds: parseThresholds({ hard: evictionHardDefault, soft: [], softGracePeriod: [], minimumReclaim: [] }),
    pressureTransitionPeriodMs: timers.pressureTransitionPeriodMs,
    monitoringPeriodMs: timers.nodeStatusUpdateIntervalMs,
    maxPodGracePeriodSeconds: 0,
  },
  garbage: {
    containers: { maxPerPodContainer: 1, maxContainers: -1, minAgeMs: 0 },
    images: { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 },
    containerPeriodMs: 60_000,
    imagePeriodMs: 300_000,
    sandboxImage: "registry.k8s.io/pause:3.9",
  },
  logRotation: { maxSizeBytes: 10 * 1024 * 1024, maxFiles: 5, periodMs: 10_000 },
  startsInFlightMax: 8,
} as const satisfies Partial<KubeletOptions>;

/** What the Node says of the kubelet's version: upstream's minor whose behaviour it has. */
export const kubeletVersion = "v1.33.1+kintsugi";
