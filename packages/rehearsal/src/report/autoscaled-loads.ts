import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "@kintsugi/api";
import type { Answer } from "../outcomes/summarize.ts";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";

interface Load {
  readonly workload: string;
  /** Percent of its pods' requests. */
  readonly utilization: number;
  readonly target: number;
  readonly replicasMax: number;
  readonly resource: string;
}

/**
 * Sentences about workloads whose remaining pods would have more load than their autoscaler's
 * target: the load of its last status, divided among the fewest pods of an answer. Autoscalers do
 * not act in a rehearsal, so other parts of a report do not show this load.
 */
export function autoscaledLoads(picture: ClusterPicture, answers: readonly Answer[]): string[] {
  const loads = objectsOf<HorizontalPodAutoscaler>(picture, horizontalPodAutoscalers).flatMap(loadOf);
  return answers.flatMap(({ question, workloads }) =>
    loads.flatMap(({ workload, utilization, target, replicasMax, resource }) => {
      const hit = workloads.find((each) => each.workload === workload);
      if (hit === undefined || hit.fewest === 0 || hit.fewest >= hit.before) return [];
      const left = Math.round((utilization * hit.before) / hit.fewest);
      if (left <= target) return [];
      const wanted = Math.ceil((hit.fewest * left) / target);
      const limit = wanted > replicasMax ? `, more than its maximum of ${replicasMax}` : "";
      return [
        `if ${question.about}: the ${hit.fewest} remaining pods of ${workload} use ${left} % of the ${resource} that they request, above their autoscaler's target of ${target} %; it would scale to ${wanted} pods${limit}`,
      ];
    }),
  );
}

function loadOf({ metadata, spec, status }: HorizontalPodAutoscaler): Load[] {
  const { kind, name } = spec.scaleTargetRef;
  return (spec.metrics ?? []).flatMap(({ resource }) => {
    const target = resource?.target.averageUtilization;
    const current = (status?.currentMetrics ?? []).find((each) => each.resource?.name === resource?.name);
    const utilization = current?.resource?.current.averageUtilization;
    if (resource === undefined || target === undefined || utilization === undefined) return [];
    const workload = `${metadata.namespace}/${kind.toLowerCase()}/${name}`;
    return [{ workload, utilization, target, replicasMax: spec.maxReplicas, resource: resource.name }];
  });
}
