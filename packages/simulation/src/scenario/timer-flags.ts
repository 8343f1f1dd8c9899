import { formatDuration, parseDurationMs, type TimerProfile } from "@kintsugi/api";

/** The form of a flag's value. */
type FlagForm = "duration" | "seconds" | "number" | "pdb-policy";

interface TimerFlag {
  readonly timer: keyof TimerProfile;
  readonly form: FlagForm;
}

/** The timers of a profile under the names of the flags that set them. */
const timerFlags: Readonly<Record<string, TimerFlag>> = {
  "node-lease-renew-interval": { timer: "nodeLeaseRenewIntervalMs", form: "duration" },
  "node-lease-duration": { timer: "nodeLeaseDurationMs", form: "duration" },
  "node-status-update-frequency": { timer: "nodeStatusUpdateIntervalMs", form: "duration" },
  "node-status-report-frequency": { timer: "nodeStatusReportIntervalMs", form: "duration" },
  "node-monitor-grace-period": { timer: "nodeMonitorGracePeriodMs", form: "duration" },
  "node-startup-grace-period": { timer: "nodeStartupGracePeriodMs", form: "duration" },
  "node-monitor-period": { timer: "nodeMonitorPeriodMs", form: "duration" },
  "pod-eviction-timeout": { timer: "defaultTolerationSeconds", form: "seconds" },
  "node-eviction-rate": { timer: "nodeEvictionRate", form: "number" },
  "secondary-node-eviction-rate": { timer: "secondaryNodeEvictionRate", form: "number" },
  "unhealthy-zone-threshold": { timer: "unhealthyZoneThreshold", form: "number" },
  "large-cluster-size-threshold": { timer: "largeClusterSizeThreshold", form: "number" },
  "eviction-pdb-policy": { timer: "evictionPdbPolicy", form: "pdb-policy" },
  "pod-gc-quarantine": { timer: "podGcQuarantineMs", form: "duration" },
  "pod-gc-period": { timer: "podGcPeriodMs", form: "duration" },
  "crash-loop-initial-delay": { timer: "crashLoopBackoffInitialMs", form: "duration" },
  "crash-loop-max-delay": { timer: "crashLoopBackoffMaxMs", form: "duration" },
  "crash-loop-reset": { timer: "crashLoopBackoffResetMs", form: "duration" },
  "leader-elect-lease-duration": { timer: "leaderElectionLeaseMs", form: "duration" },
  "leader-elect-renew-deadline": { timer: "leaderElectionRenewDeadlineMs", form: "duration" },
  "leader-elect-retry-period": { timer: "leaderElectionRetryMs", form: "duration" },
  "event-ttl": { timer: "eventTtlMs", form: "duration" },
};

/** The form of each flag's value. */
export const timerFlagForms: Readonly<Record<string, FlagForm>> = Object.fromEntries(
  Object.entries(timerFlags).map(([name, { form }]) => [name, form]),
);

/** The timers that these flags, already read, make of a profile's. */
export function timersOfFlags(flags: Readonly<Record<string, number | string | undefined>>): Partial<TimerProfile> {
  const timers: Record<string, number | string> = {};
  for (const [name, { timer, form }] of Object.entries(timerFlags)) {
    const value = flags[name];
    if (value === undefined) continue;
    timers[timer] = form === "seconds" ? Number(value) / 1000 : value;
  }
  return timers;
}

/** The other way round, as they are written. */
export function flagsOfTimers(timers: Partial<TimerProfile>): Record<string, string | number> {
  const flags: Record<string, string | number> = {};
  for (const [name, { timer, form }] of Object.entries(timerFlags)) {
    const value = timers[timer];
    if (value === undefined) continue;
    if (form === "duration") flags[name] = formatDuration(Number(value));
    else if (form === "seconds") flags[name] = formatDuration(Number(value) * 1000);
    else flags[name] = value;
  }
  return flags;
}

/** Suggests a duration for a text that is none: "5 minutes" is 5m, and a number counts seconds. */
export function nearestDuration(text: string): string | undefined {
  const tidy = text
    .toLowerCase()
    .replaceAll(/[\s,]|and/g, "")
    .replaceAll(/milliseconds?|millis|msecs?/g, "ms")
    .replaceAll(/seconds?|secs?/g, "s")
    .replaceAll(/minutes?|mins?/g, "m")
    .replaceAll(/hours?|hrs?/g, "h");
  const candidate = /^\d+(\.\d+)?$/.test(tidy) ? `${tidy}s` : tidy;
  try {
    return formatDuration(parseDurationMs(candidate));
  } catch {
    return undefined;
  }
}
