/**
 * All timers of node failure and recovery, set together. Each timer also has a flag with upstream's
 * name.
 */
export interface TimerProfile {
  /**
   * Interval at which a kubelet renews its Lease (`--node-lease-renew-interval`; upstream: a
   * quarter of the duration).
   */
  nodeLeaseRenewIntervalMs: number;
  nodeLeaseDurationMs: number;
  /**
   * Interval at which a kubelet inspects its node's status, and writes a changed status
   * (`--node-status-update-frequency`).
   */
  nodeStatusUpdateIntervalMs: number;
  /** Interval of writes of an unchanged status (`--node-status-report-frequency`). */
  nodeStatusReportIntervalMs: number;
  /** Silence after which a node is marked Unknown (`--node-monitor-grace-period`). */
  nodeMonitorGracePeriodMs: number;
  /** Grace for a node that has never reported (`--node-startup-grace-period`). */
  nodeStartupGracePeriodMs: number;
  /** Interval of the safety sweep over all nodes (`--node-monitor-period`). */
  nodeMonitorPeriodMs: number;
  /**
   * Seconds for which pods tolerate not-ready and unreachable, which admission adds
   * (`--default-{not-ready,unreachable}-toleration-seconds`).
   */
  defaultTolerationSeconds: number;
  /** Nodes per second and zone whose pods may be evicted (`--node-eviction-rate`). */
  nodeEvictionRate: number;
  /**
   * The eviction rate in an unhealthy zone of more than 50 nodes
   * (`--secondary-node-eviction-rate`).
   */
  secondaryNodeEvictionRate: number;
  /**
   * Share of NotReady nodes from which a zone with more than 2 such nodes is unhealthy
   * (`--unhealthy-zone-threshold`).
   */
  unhealthyZoneThreshold: number;
  /**
   * Largest size of a zone that stops evictions when it is unhealthy
   * (`--large-cluster-size-threshold`).
   */
  largeClusterSizeThreshold: number;
  /** Policy of taint eviction for Ready pods with a disruption budget (`--eviction-pdb-policy`). */
  evictionPdbPolicy: "ignore" | "respect";
  /** Time for which a node must have been absent before its pods are collected. */
  podGcQuarantineMs: number;
  podGcPeriodMs: number;
  /**
   * Time that a node which is not ready has to unmount a volume before the volume is detached
   * (upstream's constant `reconcilerMaxWaitForUnmountDuration`).
   */
  maxWaitForUnmountMs: number;
  /** First delay of CrashLoopBackOff; the first restart has no delay. */
  crashLoopBackoffInitialMs: number;
  crashLoopBackoffMaxMs: number;
  /** Run time after which a container's back-off starts again. */
  crashLoopBackoffResetMs: number;
  /**
   * Time for which MemoryPressure, DiskPressure and PIDPressure outlast their causes
   * (`--eviction-pressure-transition-period`).
   */
  pressureTransitionPeriodMs: number;
  /**
   * Interval of an autoscaler's decisions, and roughly the window of the kubelets' metrics
   * (`--horizontal-pod-autoscaler-sync-period`).
   */
  hpaSyncPeriodMs: number;
  /**
   * The default window for scaling down (`--horizontal-pod-autoscaler-downscale-stabilization`).
   */
  hpaDownscaleStabilizationMs: number;
  /** `--horizontal-pod-autoscaler-cpu-initialization-period`. */
  hpaCpuInitializationPeriodMs: number;
  /** `--horizontal-pod-autoscaler-initial-readiness-delay`. */
  hpaInitialReadinessDelayMs: number;
  /**
   * Time for which nodes and pods have to be unchanged before a pod moves (`--rebalance-settle`).
   */
  rebalanceSettleMs: number;
  /** Minimum time between two moves of one owner (`--rebalance-cooldown`). */
  rebalanceCooldownMs: number;
  /**
   * Time after which a replacement that is not Ready ends the moves of its owner
   * (`--rebalance-ready-timeout`).
   */
  rebalanceReadyWithinMs: number;
  leaderElectionLeaseMs: number;
  leaderElectionRenewDeadlineMs: number;
  leaderElectionRetryMs: number;
  /**
   * Minimum time between two changes of a node's rules for Services (`--nftables-min-sync-period`).
   */
  proxyMinSyncPeriodMs: number;
  eventTtlMs: number;
}

export type ProfileName = "default" | "kubernetes" | "fast";

const second = 1000;
const minute = 60 * second;

/** The exact values of upstream 1.32 and later. */
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
