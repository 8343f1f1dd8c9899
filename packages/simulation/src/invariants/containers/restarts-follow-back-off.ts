import { podBackoffAnnotation, podEscalationAnnotation, podRestartAnnotation, pods } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { asksForFence } from "../nodes/fenced-pods-stop.ts";
import { containerName, type KnownContainer } from "../observed/known-containers.ts";

/** Longest duration of a pod's sync, including the writes for which it waits. */
const lateMs = 2000;

/**
 * Tolerance: the kubelet computes in wall time, whose large numbers are exact only to a fraction of
 * a millisecond.
 */
const exactToMs = 1;

/** The bounds of a wait, which are usually equal. */
interface Wait {
  leastMs: number;
  mostMs: number;
}

const none: Wait = { leastMs: 0, mostMs: 0 };

interface ContainerRun {
  latest: KnownContainer;
  /** The back-off after its exit. */
  wait: Wait;
  /**
   * True if the wait can be known: the node's wall clock measures how long an instance ran, and
   * once that clock was wrong, the waits of all later instances are wrong too.
   */
  isKnown: boolean;
}

/**
 * A container that exits restarts after 0, 10, 20, 40 … s of its profile, never earlier and, in a
 * quiet period, never later.
 */
export function restartsFollowBackOff({ known, clocks, clock, quietPeriod, timers }: InvariantContext): Invariant {
  /** The runs by pod and container. */
  const runs = new Map<string, ContainerRun>();
  /**
   * Containers that ended only because their sandbox ended. They may restart immediately, and their
   * end does not count as a failure.
   */
  const stopped = new WeakSet<KnownContainer>();

  return {
    name: "restarts-follow-back-off",
    never:
      "a container that is restarted before its back-off ends, or in a quiet period more than 2 s after the back-off ends",
    container({ type, container, sandboxReady }, check) {
      if (type === "stopping" && !sandboxReady) stopped.add(container);
      if (type !== "started") return;
      const which = `${container.uid}/${container.name}`;
      const run = runs.get(which);
      const wait = run ? nextWait(run) : none;
      const next = { latest: container, wait, isKnown: run?.isKnown ?? true };
      runs.set(which, next);
      // An instance that was created before this instance and failed to start has a wait of its
      // own, and may have doubled its successor's wait.
      const isNext = container.attempt === (run ? run.latest.attempt + 1 : 0);
      next.isKnown &&= isNext;
      if (run?.latest.finishedAtMs === undefined || !isNext) return;
      if (hasOwnRules(container)) return;
      const isFree = stopped.has(run.latest) || ranLong(run.latest);
      const due = isFree ? none : run.wait;
      const downMs = downForMs(run.latest);
      // An instance that ran for long starts the back-off again, so any previous wait is possible.
      next.isKnown ||= ranLong(run.latest);
      next.isKnown &&= clocks.steadyForMs(container.node) > downMs + ranForMs(run.latest);
      if (!next.isKnown) return;
      const name = containerName(container);
      if (downMs <= due.leastMs - exactToMs)
        check(`${name} was restarted after ${downMs} ms, but its back-off is at least ${due.leastMs} ms`);
      else if (quietPeriod.forMs >= downMs && !mayBeFenced(container))
        check(
          downMs > due.mostMs + lateMs
            ? `${name} was down for ${downMs} ms, but its back-off is at most ${due.mostMs} ms`
            : undefined,
        );
      else check(undefined);
    },
  };

  /** The pod has a back-off of its own, or restarts of the whole pod. */
  function hasOwnRules({ podKey }: KnownContainer): boolean {
    const annotations = known.of(pods).get(podKey)?.metadata.annotations ?? {};
    return [podBackoffAnnotation, podRestartAnnotation, podEscalationAnnotation].some((name) => name in annotations);
  }

  /** A closed fence keeps a pod down until renewals are answered, which checks cannot observe. */
  function mayBeFenced({ podKey }: KnownContainer): boolean {
    const pod = known.of(pods).get(podKey);
    return pod !== undefined && asksForFence(pod);
  }

  /** Returns the time since the container's end. */
  function downForMs({ finishedAtMs = 0 }: KnownContainer): number {
    return clock.monotonicMs() - finishedAtMs;
  }

  function ranLong(container: KnownContainer): boolean {
    return ranForMs(container) > timers.crashLoopBackoffResetMs;
  }

  function nextWait({ latest, wait }: ContainerRun): Wait {
    const hasRunLong = ranLong(latest);
    const carried = hasRunLong ? none : wait;
    const next = { leastMs: doubled(carried.leastMs), mostMs: doubled(carried.mostMs) };
    if (!stopped.has(latest)) return next;
    // A container whose successor cannot be created at the first try counts as ended, like any
    // other container, and the kubelet uses that state from then on.
    const mayCount = hasRunLong || downForMs(latest) > wait.leastMs - exactToMs;
    if (!mayCount) return wait;
    return { leastMs: Math.min(wait.leastMs, next.leastMs), mostMs: Math.max(wait.mostMs, next.mostMs) };
  }

  function doubled(waitMs: number): number {
    const { crashLoopBackoffInitialMs, crashLoopBackoffMaxMs } = timers;
    return waitMs === 0 ? crashLoopBackoffInitialMs : Math.min(2 * waitMs, crashLoopBackoffMaxMs);
  }
}

function ranForMs({ createdAtMs, finishedAtMs = 0 }: KnownContainer): number {
  return finishedAtMs - createdAtMs;
}
