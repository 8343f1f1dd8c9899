import { isQuantity, parseDurationMs, wholeUnits } from "@kintsugi/api";
import type { EvictionSignal, Observations } from "./signals.ts";
import { evictionSignals } from "./signals.ts";

/** An amount, or a share of the capacity from 0 to 1. */
export type ThresholdValue = { amount: number } | { share: number };

/** Pressure begins when less than this amount is available. */
export interface Threshold {
  signal: EvictionSignal;
  value: ThresholdValue;
  /** 0: pods are evicted immediately, and killed without a grace period. */
  gracePeriodMs: number;
  /** A threshold that was met remains met until this additional amount is available. */
  minReclaim: ThresholdValue | undefined;
}

/** Upstream's command-line syntax, each "signal<value" or "signal=value". */
export interface ThresholdTexts {
  hard: readonly string[];
  soft: readonly string[];
  softGracePeriod: readonly string[];
  minimumReclaim: readonly string[];
}

/** Upstream's defaults on Linux (eviction/defaults_linux.go). There is no default for processes. */
export const evictionHardDefault = [
  "memory.available<100Mi",
  "nodefs.available<10%",
  "nodefs.inodesFree<5%",
  "imagefs.available<15%",
  "imagefs.inodesFree<5%",
] as const;

/** @throws Error that names the invalid flag and its fault. */
export function parseThresholds(texts: ThresholdTexts): Threshold[] {
  const graceOf = new Map(
    entries("--eviction-soft-grace-period", "=", texts.softGracePeriod).map(([signal, text]) => [
      signal,
      parseDurationMs(text),
    ]),
  );
  const reclaimOf = new Map(
    entries("--eviction-minimum-reclaim", "=", texts.minimumReclaim).map(([signal, text]) => [
      signal,
      parseValue("--eviction-minimum-reclaim", signal, text),
    ]),
  );
  const parse = (flag: string, list: readonly string[], graceFor: (signal: EvictionSignal) => number) =>
    entries(flag, "<", list).flatMap(([signal, text]): Threshold[] => {
      const value = parseValue(flag, signal, text);
      // Upstream: 0% and 100% turn a threshold off.
      if ("share" in value && (value.share === 0 || value.share === 1)) return [];
      return [{ signal, value, gracePeriodMs: graceFor(signal), minReclaim: reclaimOf.get(signal) }];
    });
  return [
    ...parse("--eviction-hard", texts.hard, () => 0),
    ...parse("--eviction-soft", texts.soft, (signal) => {
      const grace = graceOf.get(signal);
      if (grace === undefined)
        throw new Error(
          `grace period must be specified for the soft eviction threshold ${signal}: --eviction-soft-grace-period=${signal}=1m30s`,
        );
      return grace;
    }),
  ];
}

function entries(flag: string, separator: "<" | "=", texts: readonly string[]): [EvictionSignal, string][] {
  return texts.map((text) => {
    const at = text.indexOf(separator);
    const signal = text.slice(0, Math.max(0, at));
    if (at <= 0 || !(evictionSignals as readonly string[]).includes(signal)) {
      throw new Error(
        `${flag}: "${text}" is not signal${separator}value with a signal of ${evictionSignals.join(", ")}`,
      );
    }
    return [signal as EvictionSignal, text.slice(at + 1)];
  });
}

function parseValue(flag: string, signal: EvictionSignal, text: string): ThresholdValue {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined) {
    if (Number(percent) > 100) throw new Error(`${flag}: ${signal}: ${text} is more than 100%`);
    return { share: Number(percent) / 100 };
  }
  if (!isQuantity(text) || wholeUnits(text) < 0) {
    throw new Error(`${flag}: ${signal}: "${text}" is neither an amount such as 100Mi nor a percentage such as 10%`);
  }
  return { amount: wholeUnits(text) };
}

/** Returns a value as an amount of a capacity (GetThresholdQuantity). */
export function amountOf(value: ThresholdValue, capacity: number): number {
  return "amount" in value ? value.amount : Math.floor(capacity * value.share);
}

/**
 * Returns the thresholds below which an available amount has fallen; with `minReclaim`, the
 * thresholds that still apply.
 */
export function thresholdsMet(
  thresholds: readonly Threshold[],
  observations: Observations,
  options: { minReclaim: boolean },
): Threshold[] {
  return thresholds.filter(({ signal, value, minReclaim }) => {
    const observed = observations[signal];
    if (!observed) return false;
    const more = options.minReclaim && minReclaim ? amountOf(minReclaim, observed.capacity) : 0;
    return observed.available < amountOf(value, observed.capacity) + more;
  });
}

/**
 * Returns the memory that the hard thresholds reserve, which is not part of the allocatable memory.
 */
export function hardReservation(thresholds: readonly Threshold[], signal: EvictionSignal, capacity: number): number {
  const hard = thresholds.find((each) => each.signal === signal && each.gracePeriodMs === 0);
  return hard ? amountOf(hard.value, capacity) : 0;
}
