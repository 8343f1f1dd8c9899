import type { Pod } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import {
  drawAttachMs,
  drawCrashMs,
  drawMoment,
  drawPodTimes,
  drawPullMs,
  type StartState,
  type Timings,
  WorkloadIndex,
} from "@kintsugi/rehearsal";

/** The durations of one pod in one run. */
export interface PodTimes {
  /** Time from the sandbox to the start of the containers. */
  readonly startMs: number;
  /** Time from the start of the containers to the first successful readiness probe. */
  readonly readyMs: number;
  /** Time from the signal to the end of the containers, at most the grace period. */
  readonly stopMs: number;
}

/**
 * The behaviour of pods and images in a run, drawn from the behaviour that was observed in the
 * cluster.
 */
export interface Behaviour {
  /** The behaviour at one moment, whose load all pods share. */
  atMoment(random: Random): MomentBehaviour;
}

export interface MomentBehaviour {
  timesOf(pod: Pod, random: Random): PodTimes;
  /** The pull time of an image that is not on the node. */
  pullMs(image: string, random: Random): number;
  /** The time that a container runs before it fails; undefined if it does not fail. */
  failsAfterMs(pod: Pod, container: string, random: Random): number | undefined;
  /** The time in which a volume moves to another node. */
  attachMs(random: Random): number;
}

/**
 * Behaves as the cluster was observed to behave; unobserved durations are drawn from assumptions.
 */
export function drawnBehaviour(timings: Timings, start: StartState): Behaviour {
  const workloads = new WorkloadIndex(objectsByResource(start));
  // A Deployment creates new ReplicaSets only in a rollout, and rollouts are not begun here.
  const workloadOf = (pod: Pod) => workloads.of(pod).name;
  return {
    atMoment: (chance) => {
      const moment = drawMoment(chance);
      return {
        timesOf: (pod, random) => drawPodTimes(timings, { workload: workloadOf(pod), pod, moment }, random),
        pullMs: (image, random) => drawPullMs(timings, { image, moment }, random),
        failsAfterMs: (pod, container, random) => {
          const key = `${workloadOf(pod)} ${container}`;
          return timings.failing.get(key) ?? drawCrashMs(timings, key, random);
        },
        attachMs: (random) => drawAttachMs(timings, { moment }, random),
      };
    },
  };
}

export function objectsByResource(start: StartState): ReadonlyMap<string, StartState["objects"][number]["object"][]> {
  const map = new Map<string, StartState["objects"][number]["object"][]>();
  for (const { kind, object } of start.objects) {
    const { resource } = kind.type;
    const known = map.get(resource);
    if (known === undefined) map.set(resource, [object]);
    else known.push(object);
  }
  return map;
}
