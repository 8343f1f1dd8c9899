import { daemonSets, deployments, type Job, jobs, pods, replicaSets, statefulSets } from "@kintsugi/api";
import type { StartState } from "./start-state.ts";

/** A drain of every node moves a pod a few times; a pod that moves more often is in a loop. */
const timesReplacedMax = 10;
/** Minimum of the limit, so that a small cluster may roll out a change of every workload. */
const madeAlwaysMax = 200;

type Replicated = { readonly spec?: { readonly replicas?: number | undefined } | undefined };

/**
 * The number of pods that a run may create. Workloads whose pods fail as soon as they are created
 * never become idle, and take memory without end.
 */
export function podsMadeMax({ objects, nodes }: Pick<StartState, "objects" | "nodes">): number {
  let wanted = 0;
  let present = 0;
  for (const { kind, object } of objects) {
    const { resource } = kind.type;
    if (resource === pods.resource) present++;
    else if (resource === daemonSets.resource) wanted += nodes.length;
    else if (resource === jobs.resource) wanted += (object as Job).spec?.parallelism ?? 1;
    else if ([deployments, replicaSets, statefulSets].some((type) => type.resource === resource))
      wanted += (object as Replicated).spec?.replicas ?? 1;
  }
  return madeAlwaysMax + timesReplacedMax * Math.max(present, wanted);
}

/** The sentence of a report about a run or a rollout that was ended for its pods. */
export function endlessPodsText({ owner, made }: { owner: string; made: number }): string {
  return `${owner} creates pods without end (${made} so far): the simulation stopped there, and the later events are unknown`;
}
