import type { ServerOptions } from "@kintsugi/api-server/factory";
import { controllerDefaults, type ControllerManagerSetup } from "@kintsugi/controller-manager/factory";
import { kubeletDefaults, type KubeletOptions } from "@kintsugi/kubelet/factory";
import { type ProfileName, profiles, type TimerProfile } from "@kintsugi/api";

// The options of each service that follow from `--profile` and from single flags that override it.

/** All timers of a cluster, including defaults. */
export interface ClusterTimers extends TimerProfile {
  profile: ProfileName;
}

export function completeTimers(name: ProfileName, overrules: Partial<TimerProfile> = {}): ClusterTimers {
  return { ...profiles[name], ...overrules, profile: name };
}

export function serverTimers(timers: ClusterTimers): Partial<ServerOptions> {
  return {
    eventTtlMs: timers.eventTtlMs,
    defaultNotReadyTolerationSeconds: timers.defaultTolerationSeconds,
    defaultUnreachableTolerationSeconds: timers.defaultTolerationSeconds,
  };
}

export function controllerTimers(timers: ClusterTimers): ControllerManagerSetup {
  return controllerDefaults(timers.profile, timers);
}

export function kubeletTimers(
  timers: ClusterTimers,
): Pick<KubeletOptions, "lease" | "nodeStatus" | "restartBackoff" | "eviction"> {
  return {
    lease: {
      durationMs: timers.nodeLeaseDurationMs,
      renewIntervalMs: timers.nodeLeaseRenewIntervalMs,
      gracePeriodMs: timers.nodeMonitorGracePeriodMs,
    },
    nodeStatus: {
      updateIntervalMs: timers.nodeStatusUpdateIntervalMs,
      reportIntervalMs: timers.nodeStatusReportIntervalMs,
    },
    restartBackoff: {
      ...kubeletDefaults.restartBackoff,
      initialMs: timers.crashLoopBackoffInitialMs,
      maxMs: timers.crashLoopBackoffMaxMs,
      resetMs: timers.crashLoopBackoffResetMs,
    },
    eviction: { ...kubeletDefaults.eviction, pressureTransitionPeriodMs: timers.pressureTransitionPeriodMs },
  };
}

/** The election Lease of a service, for one run of the service. */
export function election(timers: ClusterTimers, service: string, identity: string) {
  return {
    namespace: "kube-system",
    name: service,
    identity,
    leaseDurationMs: timers.leaderElectionLeaseMs,
    renewDeadlineMs: timers.leaderElectionRenewDeadlineMs,
    retryPeriodMs: timers.leaderElectionRetryMs,
  };
}
