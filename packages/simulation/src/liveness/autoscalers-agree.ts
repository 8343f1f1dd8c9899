import type { HorizontalPodAutoscaler } from "@kintsugi/api";
import type { SimulatedCluster } from "../cluster.ts";
import { parseValue } from "../committed-values.ts";
import type { ScenarioWorkload } from "../scenario/scenario.ts";
import { isRightSize } from "../workloads/autoscaler.ts";
import { kindOf } from "../workloads/workload-kinds.ts";

/**
 * Lists the autoscalers that would still change the size of their workload, or whose status differs
 * from the size. A workload that a user has scaled to 0 is ignored, as in upstream.
 */
export async function wrongAutoscalers(
  { client, store, loads }: Pick<SimulatedCluster, "client" | "store" | "loads">,
  namespace: string,
  workloads: readonly Pick<ScenarioWorkload, "name" | "kind" | "autoscale">[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const workload of workloads) {
    const { name, autoscale } = workload;
    const [entry] = store.list(`autoscaling/horizontalpodautoscalers/${namespace}/${name}`).entries;
    if (autoscale === undefined || entry === undefined) continue;
    const kind = kindOf(workload);
    const size = kind.wantedPods(await client.get(kind.type, { namespace, name }));
    if (size === 0) continue;
    const { status } = parseValue<HorizontalPodAutoscaler>(entry.value);
    const loadMillicores = loads.of(name);
    if (!isRightSize(size, { loadMillicores, autoscale }))
      wrong.push(`autoscaler ${name} leaves ${size} pods under a load of ${loadMillicores}m`);
    else if (status?.desiredReplicas !== size || status.currentReplicas !== size)
      wrong.push(
        `autoscaler ${name} counts ${status?.currentReplicas} and requests ${status?.desiredReplicas} of ${size}`,
      );
  }
  return wrong;
}
