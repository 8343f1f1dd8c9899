import { isPodBound } from "@kintsugi/api";
import { ClusterState, podInfoOf } from "@kintsugi/scheduling";
import type { RebalanceWorld } from "./world.ts";

/** The cluster in the scheduler's view. */
export function snapshotOf(world: RebalanceWorld): ClusterState {
  const { nodes, pods, namespaces, claims, volumes, storageClasses, csiNodes, attachments } = world;
  const state = new ClusterState();
  for (const claim of claims) state.storage.putClaim(claim);
  for (const volume of volumes) state.storage.putVolume(volume);
  for (const each of storageClasses) state.storage.putClass(each);
  for (const each of csiNodes) state.storage.putCsiNode(each);
  for (const each of attachments) state.storage.putAttachment(each);
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
