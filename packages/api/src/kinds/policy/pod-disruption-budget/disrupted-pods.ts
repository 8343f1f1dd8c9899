import { instantOf } from "../../../table/cells.ts";
import { formatTimestamp, parseTimestamp } from "../../../values/timestamp.ts";
import type { Pod } from "../../core/pod/pod.ts";
import type { PodDisruptionBudgetStatus } from "./pod-disruption-budget.ts";

/** Timestamps of the API are in whole seconds. */
const secondMs = 1000;

/** Maximum difference between the clocks of two machines, unless a clock was set wrong. */
const clocksDifferMs = 60_000;

type Disrupted = Pick<PodDisruptionBudgetStatus, "disruptedPods">;

/**
 * Returns a budget's `disruptedPods` with a pod whose eviction is allowed now. The map contains
 * names of pods, and a StatefulSet creates another pod of the same name, often within the second.
 * The time in the map is therefore after the second in which the evicted pod was created, so that
 * `disruptedSince` can distinguish the two.
 */
export function withDisruptedPod(status: Disrupted, pod: Pod, nowMs: number): Record<string, string> {
  const timeMs = Math.min(Math.max(nowMs, createdMs(pod) + secondMs), nowMs + clocksDifferMs);
  return { ...status.disruptedPods, [pod.metadata.name ?? ""]: formatTimestamp(timeMs) };
}

/**
 * Returns the time (ms since the epoch) at which the eviction of this pod was allowed. Undefined if
 * no eviction was allowed, if an earlier pod of the same name was evicted, or if the time was
 * written by a clock that was ahead. Upstream compares only the name: unless its controller runs
 * between the two pods of a StatefulSet, the second pod counts as disrupted for two minutes.
 */
export function disruptedSince(status: Disrupted | undefined, pod: Pod, nowMs: number): number | undefined {
  const name = pod.metadata.name ?? "";
  const disruptedPods = status?.disruptedPods ?? {};
  // A pod may have the name "constructor".
  const time = Object.hasOwn(disruptedPods, name) ? disruptedPods[name] : undefined;
  if (time === undefined) return undefined;
  const sinceMs = parseTimestamp(time);
  if (sinceMs > nowMs + clocksDifferMs) return undefined;
  // A creation time in the future may belong to the evicted pod, if the clock was ahead.
  const isLaterPod = createdMs(pod) >= sinceMs && createdMs(pod) <= nowMs;
  return isLaterPod ? undefined : sinceMs;
}

function createdMs({ metadata }: Pod): number {
  return instantOf(metadata.creationTimestamp) ?? -Infinity;
}
