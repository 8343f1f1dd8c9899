import { builtInKinds, isPodActive, isPodReady, type ReplicaSet } from "@kintsugi/api";
import { endlessPodsText, podsMadeMax, type StartState } from "@kintsugi/rehearsal";
import { parseValue } from "@kintsugi/simulation";
import type { Behaviour } from "../cluster/behaviour.ts";
import { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";
import { clusterState } from "./cluster-state.ts";

const stepMs = 5_000;
/** Time after which a cluster that is not idle will never be idle. */
const settleMaxMs = 15 * 60_000;
/** Time without changes. */
const restMs = 30_000;

/**
 * Waits until a cluster is idle, and returns its final state: for manifests whose pods are not
 * created yet, and for changes that are not rolled out yet.
 */
export async function settle(start: StartState, behaviour: Behaviour, seed: number): Promise<StartState> {
  await using cluster = new RehearsedCluster({ start, behaviour }, { seed });
  await cluster.start();
  let changedMs = cluster.nowMs;
  cluster.store.subscribe((changes) => {
    if (changes.some(({ resource }) => resource === "core/pods" || resource.startsWith("apps/")))
      changedMs = cluster.nowMs;
  });
  const madeMax = podsMadeMax(start);
  while (cluster.nowMs < settleMaxMs && cluster.pods.made <= madeMax) {
    await cluster.advance(stepMs);
    cluster.letSleep();
    const restedMs = cluster.nowMs - changedMs;
    if (restedMs >= 4 * restMs || (restedMs >= restMs && isWhole(cluster))) break;
  }
  const resources = new Set(start.objects.map(({ kind }) => kind));
  for (const each of ["pods", "replicasets", "controllerrevisions"])
    for (const kind of builtInKinds)
      if (kind.type.resource === each && kind.type.group !== "metrics.k8s.io") resources.add(kind);
  const endless = cluster.pods.made > madeMax ? [endlessPodsText(cluster.pods.mostMadeBy)] : [];
  return {
    ...start,
    unfinishedKeys: undefined,
    ...clusterState(cluster, resources),
    notes: [...start.notes, ...endless],
  };
}

function isWhole(cluster: RehearsedCluster): boolean {
  return hasAllPods(cluster) && [...cluster.pods.all()].every((pod) => isPodReady(pod) || !isPodActive(pod));
}

/**
 * A ReplicaSet whose pods cannot be created, for lack of a webhook or of a quota, retries later.
 */
function hasAllPods({ store }: RehearsedCluster): boolean {
  return ["replicasets", "statefulsets"].every((resource) =>
    store.list(`apps/${resource}/`).entries.every(({ value }) => {
      const { spec, status } = parseValue<ReplicaSet>(value);
      return (status?.replicas ?? 0) >= (spec?.replicas ?? 1);
    }),
  );
}
