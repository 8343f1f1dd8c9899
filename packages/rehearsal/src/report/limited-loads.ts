import { countedNoun, cpuMillicores, type Pod, type PodMetrics, pods } from "@kintsugi/api";
import { WorkloadIndex } from "../model/workloads.ts";
import type { Answer } from "../outcomes/summarize.ts";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";
import { podMetricsKey } from "../picture/rehearsed-kinds.ts";

/** The processor time that the pods of one workload use, and the time that each pod may use. */
interface UsedCpu {
  readonly millicores: number;
  readonly limitMillicores: number;
}

/**
 * Sentences about workloads whose remaining pods would need more processor time than their limit:
 * the usage in the metrics API, divided among the fewest pods of an answer.
 */
export function limitedLoads(picture: ClusterPicture, answers: readonly Answer[]): string[] {
  const used = usedCpu(picture);
  return answers.flatMap(({ question, workloads }) =>
    workloads.flatMap(({ workload, before, fewest }) => {
      const own = used.get(workload);
      if (own === undefined || fewest === 0 || fewest >= before) return [];
      const each = Math.round(own.millicores / fewest);
      if (each <= own.limitMillicores) return [];
      return [
        `if ${question.about}: ${countedNoun(fewest, "pod")} of ${workload} ${fewest === 1 ? "remains and needs" : "remain and need"} ${each}m of cpu each, by the usage in the metrics, above their limit of ${own.limitMillicores}m`,
      ];
    }),
  );
}

function usedCpu(picture: ClusterPicture): Map<string, UsedCpu> {
  const metrics = (picture.objects.get(podMetricsKey) ?? []) as readonly PodMetrics[];
  const byPod = new Map(
    metrics.map(({ metadata, containers }) => [`${metadata.namespace}/${metadata.name}`, containers]),
  );
  const workloads = new WorkloadIndex(picture.objects);
  const sums = new Map<string, UsedCpu>();
  for (const pod of objectsOf<Pod>(picture, pods)) {
    const containers = byPod.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
    const limitMillicores = limitOf(pod);
    if (containers === undefined || limitMillicores === undefined) continue;
    const { name } = workloads.of(pod);
    const ownMillicores = containers.reduce((sum, { usage }) => sum + cpuMillicores(usage["cpu"] ?? "0"), 0);
    sums.set(name, { millicores: (sums.get(name)?.millicores ?? 0) + ownMillicores, limitMillicores });
  }
  return sums;
}

/** Undefined where a container has no limit. */
function limitOf({ spec }: Pod): number | undefined {
  const limits = (spec?.containers ?? []).map(({ resources }) => resources?.limits?.["cpu"]);
  if (limits.some((limit) => limit === undefined)) return undefined;
  return limits.reduce<number>((sum, limit) => sum + cpuMillicores(limit ?? "0"), 0);
}
