import type { ServerOptions } from "@kintsugi/api-server/factory";
import type { ControllerManagerSetup } from "@kintsugi/controller-manager/factory";
import { kubeletDefaults, type KubeletOptions } from "@kintsugi/kubelet/factory";
import { type ProfileName, profiles } from "@kintsugi/api";

// What each service's flags make of `--profile`.

export function serverTimers(name: ProfileName): Partial<ServerOptions> {
  const profile = profiles[name];
  return {
    eventTtlMs: profile.eventTtlMs,
    defaultNotReadyTolerationSeconds: profile.defaultTolerationSeconds,
    defaultUnreachableTolerationSeconds: profile.defaultTolerationSeconds,
  };
}

export function controllerTimers(name: ProfileName): ControllerManagerSetup {
  const profile = profiles[name];
  return {
    nodeMonitorGracePeriodMs: profile.nodeMonitorGracePeriodMs,
    nodeStartupGracePeriodMs: profile.nodeStartupGracePeriodMs,
    nodeMonitorPeriodMs: profile.nodeMonitorPeriodMs,
    nodeEvictionRate: profile.nodeEvictionRate,
    secondaryNodeEvictionRate: profile.secondaryNodeEvictionRate,
    unhealthyZoneThreshold: profile.unhealthyZoneThreshold,
    largeClusterSizeThreshold: profile.largeClusterSizeThreshold,
    announceEvictionPauses: name !== "kubernetes",
    evictionPdbPolicy: profile.evictionPdbPolicy,
    podGcQuarantineMs: profile.podGcQuarantineMs,
    podGcPeriodMs: profile.podGcPeriodMs,
  };
}

export function kubeletTimers(name: ProfileName): Pick<KubeletOptions, "lease" | "nodeStatus" | "restartBackoff"> {
  const profile = profiles[name];
  return {
    lease: { durationMs: profile.nodeLeaseDurationMs, renewIntervalMs: profile.nodeLeaseRenewIntervalMs },
    nodeStatus: {
      updateIntervalMs: profile.nodeStatusUpdateIntervalMs,
      reportIntervalMs: profile.nodeStatusReportIntervalMs,
    },
    restartBackoff: {
      ...kubeletDefaults.restartBackoff,
      initialMs: profile.crashLoopBackoffInitialMs,
      maxMs: profile.crashLoopBackoffMaxMs,
      resetMs: profile.crashLoopBackoffResetMs,
    },
  };
}

/** The election Lease of a service, for one run of it. */
export function election(name: ProfileName, service: string, identity: string) {
  const profile = profiles[name];
  return {
    namespace: "kube-system",
    name: service,
    identity,
    leaseDurationMs: profile.leaderElectionLeaseMs,
    renewDeadlineMs: profile.leaderElectionRenewDeadlineMs,
    retryPeriodMs: profile.leaderElectionRetryMs,
  };
}
