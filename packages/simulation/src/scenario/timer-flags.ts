import { formatDuration, parseDurationMs, type TimerProfile } from "@kintsugi/api";

/** A flag of a service that sets one timer of a profile, with the values as users write them. */
export interface TimerFlag {
  /** "node-monitor-grace-period". */
  readonly flag: string;
  readonly timer: keyof TimerProfile;
  readonly isDuration: boolean;
  /** The timer's value for the flag's. @throws Error when the text is none. */
  readonly read: (text: string) => number | string;
  /** The other way round. */
  readonly write: (value: number | string) => number | string;
}

/** The timers that these flags, already read, make of a profile's. */
export function timersOfFlags(
  timerFlags: readonly TimerFlag[],
  given: Readonly<Record<string, number | string | undefined>>,
): Partial<TimerProfile> {
  const set = timerFlags.filter(({ flag }) => given[flag] !== undefined);
  return Object.fromEntries(set.map(({ flag, timer }) => [timer, given[flag]]));
}

/** The other way round, as they are written. */
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
