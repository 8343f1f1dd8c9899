import type { Pod } from "@kintsugi/api";
import { drawPodTimes, drawPullMs, type StartState, type Timings, WorkloadIndex } from "@kintsugi/rehearsal";
import type { Behaviour } from "./behaviour.ts";

/** Behaves as the cluster has shown; what it has not shown is drawn from what is assumed. */
export function drawnBehaviour(timings: Timings, start: StartState): Behaviour {
  const workloads = new WorkloadIndex(objectsByResource(start));
  // A Deployment makes new ReplicaSets only in a rollout, and none is begun here.
  const workloadOf = (pod: Pod) => workloads.of(pod).name;
  return {
    timesOf: (pod, random) => drawPodTimes(timings, { workload: workloadOf(pod), pod }, random),
    pullMs: (image, random) => drawPullMs(timings, image, random),
    failsAfterMs: (pod, container) => timings.failing.get(`${workloadOf(pod)} ${container}`),
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
