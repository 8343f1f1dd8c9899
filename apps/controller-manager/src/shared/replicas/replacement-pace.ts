import type { InformerChange } from "@kintsugi/client";
import { type ContainerStatus, isPodActive, type Pod } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

// A kubelet or a controller can have a fact that the scheduler does not have yet, or never gets: a
// node's taint, or a sysctl that is not allowed. Such a pod is bound, rejected or evicted before it
// runs, and replaced, in an endless loop:
//
//   replica set ──creates──► scheduler ──binds──► kubelet ──rejects──► replica set ──creates──►
//
// Upstream has the same loop (kubernetes#72593, kubernetes#76370). It is bounded there because a
// client of the controller manager may send only --kube-api-burst requests at the same time and
// --kube-api-qps requests per second after them. Here clients are not limited, so a set whose pods
// run gets all its pods immediately; only replacements of pods that never ran are created at
// upstream's pace.

/** Number of pods that are replaced at the same time: upstream's default of --kube-api-burst. */
const burst = 30;
/** Interval of further replacements: upstream's default of --kube-api-qps is 20. */
const intervalMs = 50;

interface Pace {
  /** Pods that were deleted before they ran, and were not replaced since. */
  unstarted: number;
  /** The accumulated time; each replacement costs an interval. */
  creditMs: number;
  countedMs: number;
}

/**
 * Limits the speed at which each set replaces pods that never ran. It only ever delays creations,
 * so a restart may lose this memory.
 */
export class ReplacementPace {
  readonly #clock: Clock;
  /** One entry per set that has lost such a pod. */
  readonly #paces = new Map<string, Pace>();

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** Records that a pod of the set was deleted before any of its containers ran. */
  noteUnstarted(key: string): void {
    this.#pace(key).unstarted++;
  }

  /** Returns how many of the missing pods may be created now, and the time until the next pod. */
  grant(key: string, missing: number): { count: number; retryAfterMs?: number } {
    const pace = this.#paces.get(key);
    if (!pace) return { count: missing };
    this.#accrue(pace);
    if (missing === 0) pace.unstarted = 0;
    const held = Math.min(missing, pace.unstarted);
    const granted = Math.min(held, Math.floor(pace.creditMs / intervalMs));
    pace.unstarted -= granted;
    pace.creditMs -= granted * intervalMs;
    const count = missing - held + granted;
    return count === missing ? { count } : { count, retryAfterMs: Math.ceil(intervalMs - pace.creditMs) };
  }

  /** Removes the record of a set that no longer exists. */
  reset(key: string): void {
    this.#paces.delete(key);
  }

  #pace(key: string): Pace {
    const known = this.#paces.get(key);
    if (known) return known;
    const fresh = { unstarted: 0, creditMs: burst * intervalMs, countedMs: this.#clock.monotonicMs() };
    this.#paces.set(key, fresh);
    return fresh;
  }

  #accrue(pace: Pace): void {
    const nowMs = this.#clock.monotonicMs();
    pace.creditMs = Math.min(burst * intervalMs, pace.creditMs + nowMs - pace.countedMs);
    pace.countedMs = nowMs;
  }
}

/**
 * Reports whether a pod was just removed, or marked for deletion, although its containers never ran
 * on the node to which it was bound.
 */
export function endsUnstarted(change: InformerChange<Pod>): boolean {
  const { object: pod } = change;
  return endsNow(change) && (pod.spec?.nodeName ?? "") !== "" && !hasRun(pod);
}

/** Each pod ends once, so a pod that was already ending has been counted. */
function endsNow(change: InformerChange<Pod>): boolean {
  switch (change.type) {
    case "added":
      return !isPodActive(change.object);
    case "modified":
      return isPodActive(change.before) && !isPodActive(change.object);
    case "deleted":
      return isPodActive(change.object);
  }
}

function hasRun({ status }: Pod): boolean {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return statuses.some(({ containerID = "" }: ContainerStatus) => containerID !== "");
}
