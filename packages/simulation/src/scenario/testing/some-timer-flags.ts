import { formatDuration, parseDurationMs } from "@kintsugi/api";
import type { TimerFlag } from "../timer-flags.ts";

const durationForm = {
  isDuration: true,
  read: parseDurationMs,
  write: (value: unknown) => formatDuration(Number(value)),
};

/** A flag of each form that the services have. */
export const someTimerFlags: readonly TimerFlag[] = [
  { flag: "node-monitor-grace-period", timer: "nodeMonitorGracePeriodMs", ...durationForm },
  { flag: "node-lease-duration", timer: "nodeLeaseDurationMs", ...durationForm },
  {
    flag: "pod-eviction-timeout",
    timer: "defaultTolerationSeconds",
    isDuration: true,
    read: (text) => parseDurationMs(text) / 1000,
    write: (value) => formatDuration(Number(value) * 1000),
  },
  { flag: "node-eviction-rate", timer: "nodeEvictionRate", isDuration: false, read: Number, write: (value) => value },
  {
    flag: "eviction-pdb-policy",
    timer: "evictionPdbPolicy",
    isDuration: false,
    read: (text) => text,
    write: (value) => value,
  },
];
