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

/** The times of one pod in one run. */
export interface PodTimes {
  /** Time from the sandbox to the start of the containers. */
  readonly startMs: number;
  /** Time from the start of the containers to the first successful readiness probe. */
  readonly readyMs: number;
  /** Time from the signal to the end of the containers; the grace period bounds it. */
  readonly stopMs: number;
}

/** The ways of pods and images in a run, drawn from what the cluster has shown. */
export interface Behaviour {
  /** The ways at one moment, whose load all pods share. */
  atMoment(random: Random): MomentBehaviour;
}

export interface MomentBehaviour {
  timesOf(pod: Pod, random: Random): PodTimes;
  /** The time that an image takes which the node does not have. */
  pullMs(image: string, random: Random): number;
  /** The time that a container runs before it fails; undefined for one that does not. */
  failsAfterMs(pod: Pod, container: string, random: Random): number | undefined;
  /** The time that a volume takes to another node. */
  attachMs(random: Random): number;
}

/** Behaves as the cluster has shown; what it has not shown is drawn from what is assumed. */
export function drawnBehaviour(timings: Timings, start: StartState): Behaviour {
  const workloads = new WorkloadIndex(objectsByResource(start));
  // A Deployment makes new ReplicaSets only in a rollout, and none is begun here.
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
