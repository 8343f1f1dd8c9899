import { formatDuration, type ProfileName, profiles, type TimerProfile } from "@kintsugi/api";
import { timerOptions as serverOptions } from "@kintsugi/api-server/factory";
import { controllerOptions } from "@kintsugi/controller-manager/factory";
import { type Flag, flagsOf, type FlagTable, leaderElectionFlags } from "@kintsugi/daemon";
import { kubeletFlags } from "@kintsugi/kubelet/factory";
import type { TimerFlag } from "@kintsugi/simulation";

/** The flags of the services that run in a simulated cluster. */
const tables: readonly FlagTable[] = [
  kubeletFlags,
  flagsOf(controllerOptions),
  serverOptions,
  leaderElectionFlags("simulated"),
];

const profile: ProfileName = "default";

/**
 * The flags that set timers of a profile; each option declares which timer is its default. A flag
 * that several services have sets one timer for all of them.
 */
export const timerFlags: readonly TimerFlag[] = [
  ...new Map(
    tables
      .flatMap((table) => Object.entries(table).flatMap(([flag, each]) => toTimerFlag(flag, each) ?? []))
      .map((each) => [each.flag, each]),
  ).values(),
];

function toTimerFlag(flag: string, each: Flag<unknown>): TimerFlag | undefined {
  const timer = timerReadBy(each);
  if (timer === undefined) return undefined;
  const perUnit = unitsOf(each, timer);
  return {
    flag,
    timer,
    isDuration: each.placeholder === "duration",
    read: (text) => {
      const value = each.parse(text);
      return typeof value === "number" ? value / perUnit : String(value);
    },
    write: (value) => written(each, typeof value === "number" ? value * perUnit : value),
  };
}

/**
 * The only timer from which the flag's default is derived; undefined if there is not exactly one
 * such timer.
 */
function timerReadBy({ byProfile }: Flag<unknown>): keyof TimerProfile | undefined {
  const read: string[] = [];
  const timers = new Proxy(profiles[profile], {
    get: (target, name: string) => {
      read.push(name);
      return Reflect.get(target, name) as unknown;
    },
  });
  byProfile?.(timers, profile);
  return read.length === 1 ? (read[0] as keyof TimerProfile) : undefined;
}

/** A flag in milliseconds may set a timer in seconds; then the factor is 1,000. */
function unitsOf({ byProfile }: Flag<unknown>, timer: keyof TimerProfile): number {
  const one = byProfile?.({ ...profiles[profile], [timer]: 1 }, profile);
  return typeof one === "number" ? one : 1;
}

function written(each: Flag<unknown>, value: number | string): number | string {
  return each.placeholder === "duration" ? formatDuration(Number(value)) : value;
}
