/**
 * All timers of node failure and recovery, set together. Every number is also a flag with
 * upstream's name.
 */
export interface TimerProfile {
  /**
   * A kubelet renews its Lease this often (`--node-lease-renew-interval`; upstream: a quarter of
   * the duration).
   */
  nodeLeaseRenewIntervalMs: number;
  nodeLeaseDurationMs: number;
  /**
   * A kubelet inspects its node's status this often and writes it when it changed
   * (`--node-status-update-frequency`).
   */
  nodeStatusUpdateIntervalMs: number;
  /** An unchanged status is written this often (`--node-status-report-frequency`). */
  nodeStatusReportIntervalMs: number;
  /** Silence after which a node is marked Unknown (`--node-monitor-grace-period`). */
  nodeMonitorGracePeriodMs: number;
  /** Grace for a node that has never reported (`--node-startup-grace-period`). */
  nodeStartupGracePeriodMs: number;
  /** Safety sweep over all nodes (`--node-monitor-period`). */
  nodeMonitorPeriodMs: number;
  /**
   * Toleration of not-ready and unreachable that admission adds
   * (`--default-{not-ready,unreachable}-toleration-seconds`).
   */
  defaultTolerationSeconds: number;
  /** Nodes per second and zone whose pods may be evicted (`--node-eviction-rate`). */
  nodeEvictionRate: number;
  /** The same in an unhealthy zone of more than 50 nodes (`--secondary-node-eviction-rate`). */
  secondaryNodeEvictionRate: number;
  /**
   * Share of NotReady nodes from which a zone of more than 2 such nodes is unhealthy
   * (`--unhealthy-zone-threshold`).
   */
  unhealthyZoneThreshold: number;
  /** Zones up to this size stop evicting when unhealthy (`--large-cluster-size-threshold`). */
  largeClusterSizeThreshold: number;
  /**
   * The policy decides whether taint eviction takes a Ready pod below its PodDisruptionBudget
   * (`--eviction-pdb-policy`).
   */
  evictionPdbPolicy: "ignore" | "respect";
  /** A node has to be gone for this long before its pods are collected. */
  podGcQuarantineMs: number;
  podGcPeriodMs: number;
  /**
   * A node that is not ready has this long to unmount a volume before that is detached (upstream's
   * constant `reconcilerMaxWaitForUnmountDuration`).
   */
  maxWaitForUnmountMs: number;
  /** First delay of CrashLoopBackOff; the first restart is free. */
  crashLoopBackoffInitialMs: number;
  crashLoopBackoffMaxMs: number;
  /** A container that ran this long starts its back-off again. */
  crashLoopBackoffResetMs: number;
  /**
   * MemoryPressure, DiskPressure and PIDPressure outlast their reasons by this long
   * (`--eviction-pressure-transition-period`).
   */
  pressureTransitionPeriodMs: number;
  /**
   * An autoscaler decides this often, from metrics that kubelets measured over about this window
   * (`--horizontal-pod-autoscaler-sync-period`).
   */
  hpaSyncPeriodMs: number;
  /** The default window downwards (`--horizontal-pod-autoscaler-downscale-stabilization`). */
  hpaDownscaleStabilizationMs: number;
  /** `--horizontal-pod-autoscaler-cpu-initialization-period`. */
  hpaCpuInitializationPeriodMs: number;
  /** `--horizontal-pod-autoscaler-initial-readiness-delay`. */
  hpaInitialReadinessDelayMs: number;
  /**
   * Nodes and pods have to be unchanged for this long before a pod moves (`--rebalance-settle`).
   */
  rebalanceSettleMs: number;
  /** The least time between two moves of one owner (`--rebalance-cooldown`). */
  rebalanceCooldownMs: number;
  /**
   * A replacement that is not Ready after this long ends the moves of its owner
   * (`--rebalance-ready-timeout`).
   */
  rebalanceReadyWithinMs: number;
  leaderElectionLeaseMs: number;
  leaderElectionRenewDeadlineMs: number;
  leaderElectionRetryMs: number;
  /**
   * The least time between two changes of a node's rules for Services
   * (`--nftables-min-sync-period`).
   */
  proxyMinSyncPeriodMs: number;
  eventTtlMs: number;
}

export type ProfileName = "default" | "kubernetes" | "fast";

const second = 1000;
const minute = 60 * second;

/** Upstream 1.32 and later, exactly. */
const kubernetes: TimerProfile = {
  nodeLeaseRenewIntervalMs: 10 * second,
  nodeLeaseDurationMs: 40 * second,
  nodeStatusUpdateIntervalMs: 10 * second,
  nodeStatusReportIntervalMs: 5 * minute,
  nodeMonitorGracePeriodMs: 50 * second,
  nodeStartupGracePeriodMs: 60 * second,
  nodeMonitorPeriodMs: 5 * second,
  defaultTolerationSeconds: 300,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
  evictionPdbPolicy: "ignore",
  podGcQuarantineMs: 40 * second,
  podGcPeriodMs: 20 * second,
  maxWaitForUnmountMs: 6 * minute,
  crashLoopBackoffInitialMs: 10 * second,
  crashLoopBackoffMaxMs: 5 * minute,
  crashLoopBackoffResetMs: 10 * minute,
  pressureTransitionPeriodMs: 5 * minute,
  hpaSyncPeriodMs: 15 * second,
  hpaDownscaleStabilizationMs: 5 * minute,
  hpaCpuInitializationPeriodMs: 5 * minute,
  hpaInitialReadinessDelayMs: 30 * second,
  rebalanceSettleMs: 1 * minute,
  rebalanceCooldownMs: 5 * minute,
  rebalanceReadyWithinMs: 5 * minute,
  leaderElectionLeaseMs: 15 * second,
  leaderElectionRenewDeadlineMs: 10 * second,
  leaderElectionRetryMs: 2 * second,
  proxyMinSyncPeriodMs: 1 * second,
  eventTtlMs: 60 * minute,
};

export const profiles: Readonly<Record<ProfileName, TimerProfile>> = {
  kubernetes,
  default: {
    ...kubernetes,
    nodeMonitorGracePeriodMs: 40 * second,
    evictionPdbPolicy: "respect",
    proxyMinSyncPeriodMs: 250,
  },
  fast: {
    nodeLeaseRenewIntervalMs: 1 * second,
    nodeLeaseDurationMs: 4 * second,
    nodeStatusUpdateIntervalMs: 1 * second,
    nodeStatusReportIntervalMs: 30 * second,
    nodeMonitorGracePeriodMs: 4 * second,
    nodeStartupGracePeriodMs: 10 * second,
    nodeMonitorPeriodMs: 1 * second,
    defaultTolerationSeconds: 5,
    nodeEvictionRate: 10,
    secondaryNodeEvictionRate: 1,
    unhealthyZoneThreshold: 0.55,
    largeClusterSizeThreshold: 50,
    evictionPdbPolicy: "respect",
    podGcQuarantineMs: 4 * second,
    podGcPeriodMs: 1 * second,
    maxWaitForUnmountMs: 6 * second,
    crashLoopBackoffInitialMs: 1 * second,
    crashLoopBackoffMaxMs: 10 * second,
    crashLoopBackoffResetMs: 20 * second,
    pressureTransitionPeriodMs: 5 * second,
    hpaSyncPeriodMs: 3 * second,
    hpaDownscaleStabilizationMs: 30 * second,
    hpaCpuInitializationPeriodMs: 15 * second,
    hpaInitialReadinessDelayMs: 5 * second,
    rebalanceSettleMs: 5 * second,
    rebalanceCooldownMs: 20 * second,
    rebalanceReadyWithinMs: 20 * second,
    leaderElectionLeaseMs: 3 * second,
    leaderElectionRenewDeadlineMs: 2 * second,
    leaderElectionRetryMs: 500,
    proxyMinSyncPeriodMs: 100,
    eventTtlMs: 60 * minute,
  },
};

/** The names of all profiles, for flags, files and help. */
export const profileNames = Object.keys(profiles) as ProfileName[];
