import type { InformerChange } from "@kintsugi/client";
import { type ContainerStatus, isPodActive, type Pod } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

// A kubelet or a controller can know a fact that the scheduler does not know yet, or never will: a
// node's taint, a sysctl that is not allowed. So a pod is bound, turned away or evicted before it
// runs, and replaced, round after round:
//
//   replica set ──creates──► scheduler ──binds──► kubelet ──turns away──► replica set ──creates──►
//
// Upstream goes round as well (kubernetes#72593, kubernetes#76370). It is bounded there because no
// client of the controller manager may send more than --kube-api-burst requests at the same time
// and --kube-api-qps a second after them. Here nothing limits clients, so a set whose pods run is
// made whole immediately; only replacements of pods that never ran go at upstream's pace.

/** So many are replaced at the same time: upstream's default of --kube-api-burst, */
const burst = 30;
/** and then one each time this has passed: upstream's default of --kube-api-qps is 20. */
const intervalMs = 50;

interface Pace {
  /** Pods that have gone without having run, and were not replaced since. */
  unstarted: number;
  /** The time that has been saved up; each replacement costs an interval. */
  creditMs: number;
  countedMs: number;
}

/**
 * Limits the speed at which each set replaces pods that never ran. Only ever a reason for more
 * caution, so a restart may forget it.
 */
export class ReplacementPace {
  readonly #clock: Clock;
  /** One entry per set that has lost such a pod. */
  readonly #paces = new Map<string, Pace>();

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  /** A pod of the set has gone before any container of it ran. */
  noteUnstarted(key: string): void {
    this.#pace(key).unstarted++;
  }

  /** Returns how many of the missing pods may be made now, and the time until the next one. */
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

  /** The set no longer exists. */
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
 * Reports whether a pod has just gone, or begun to go, although none of its containers ever ran on
 * the node that it was bound to.
 */
export function endsUnstarted(change: InformerChange<Pod>): boolean {
  const { object: pod } = change;
  return endsNow(change) && (pod.spec?.nodeName ?? "") !== "" && !hasRun(pod);
}

/** Each pod ends once: a pod that was already ending has been counted. */
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
