import { formatDuration, parseDurationMs, type TimerProfile } from "@kintsugi/api";

/** A flag of a service that sets one timer of a profile, with the values as users write them. */
export interface TimerFlag {
  /** "node-monitor-grace-period". */
  readonly flag: string;
  readonly timer: keyof TimerProfile;
  readonly isDuration: boolean;
  /** Converts the flag's value to the timer's. @throws Error for an invalid text. */
  readonly read: (text: string) => number | string;
  /** Converts the timer's value to the flag's. */
  readonly write: (value: number | string) => number | string;
}

/** Applies these parsed flags to the timers of a profile. */
export function timersOfFlags(
  timerFlags: readonly TimerFlag[],
  given: Readonly<Record<string, number | string | undefined>>,
): Partial<TimerProfile> {
  const set = timerFlags.filter(({ flag }) => given[flag] !== undefined);
  return Object.fromEntries(set.map(({ flag, timer }) => [timer, given[flag]]));
}

/** Converts timers to flags, the reverse of `timersOfFlags`. */
export function flagsOfTimers(
  timerFlags: readonly TimerFlag[],
  timers: Partial<TimerProfile>,
): Record<string, string | number> {
  const set = timerFlags.flatMap(({ flag, timer, write }): [string, string | number][] => {
    const value = timers[timer];
    return value === undefined ? [] : [[flag, write(value)]];
  });
  return Object.fromEntries(set);
}

/** Suggests a duration for an invalid text: "5 minutes" is 5m, and a number counts seconds. */
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
