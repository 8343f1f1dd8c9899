import { instantOf } from "../../../table/cells.ts";
import { formatTimestamp, parseTimestamp } from "../../../values/timestamp.ts";
import type { Pod } from "../../core/pod/pod.ts";
import type { PodDisruptionBudgetStatus } from "./pod-disruption-budget.ts";

/** Timestamps of the API count whole seconds. */
const secondMs = 1000;

/** The clocks of machines differ by less, unless one was set wrong. */
const clocksDifferMs = 60_000;

type Disrupted = Pick<PodDisruptionBudgetStatus, "disruptedPods">;

/**
 * Returns a budget's `disruptedPods` with a pod whose eviction is allowed now. The map names pods,
 * and a StatefulSet creates another pod of the same name, often within the second. So the time in
 * the map is after the second in which the evicted pod was created, by which `disruptedSince` tells
 * the two apart.
 */
export function withDisruptedPod(status: Disrupted, pod: Pod, nowMs: number): Record<string, string> {
  const timeMs = Math.min(Math.max(nowMs, createdMs(pod) + secondMs), nowMs + clocksDifferMs);
  return { ...status.disruptedPods, [pod.metadata.name ?? ""]: formatTimestamp(timeMs) };
}

/**
 * Returns the time (ms since the epoch) at which the eviction of this very pod was allowed.
 * Undefined when none was, when it was that of an earlier pod of the same name, and when a clock
 * that was ahead wrote it. Upstream goes by the name alone: unless its controller looks between the
 * two pods of a StatefulSet, the second counts as disrupted for two minutes.
 */
export function disruptedSince(status: Disrupted | undefined, pod: Pod, nowMs: number): number | undefined {
  const name = pod.metadata.name ?? "";
  const disruptedPods = status?.disruptedPods ?? {};
  // A pod may be called "constructor".
  const time = Object.hasOwn(disruptedPods, name) ? disruptedPods[name] : undefined;
  if (time === undefined) return undefined;
  const sinceMs = parseTimestamp(time);
  if (sinceMs > nowMs + clocksDifferMs) return undefined;
  // A creation in the future may be the evicted pod's, by a clock that was ahead.
  const isLaterPod = createdMs(pod) >= sinceMs && createdMs(pod) <= nowMs;
  return isLaterPod ? undefined : sinceMs;
}

function createdMs({ metadata }: Pod): number {
  return instantOf(metadata.creationTimestamp) ?? -Infinity;
}
