import { isPodBound } from "@kintsugi/api";
import { ClusterState, podInfoOf } from "@kintsugi/scheduling";
import type { RebalanceWorld } from "./world.ts";

/** The cluster as the scheduler sees it. */
export function snapshotOf({ nodes, pods, namespaces }: RebalanceWorld): ClusterState {
  const state = new ClusterState();
  for (const namespace of namespaces) state.putNamespace(namespace);
  for (const node of nodes) state.putNode(node);
  for (const pod of pods) {
    const info = podInfoOf(pod);
    const nominated = pod.status?.nominatedNodeName ?? "";
    if (isPodBound(pod)) state.putPod(info, pod.spec?.nodeName ?? "");
    else if (nominated !== "") state.nominate(info, nominated);
  }
  return state;
}
