import { claimOfVolume, type PersistentVolume, type Pod, type VolumeAttachment } from "@kintsugi/api";
import type { SimulatedCluster } from "../cluster.ts";
import { parseValue } from "../reading.ts";

/** Lists the attachments to nodes of the core whose pods do not use the volume, or that failed. */
export function idleAttachments(
  { store }: Pick<SimulatedCluster, "store">,
  { pods, lostNodes }: { pods: readonly Pod[]; lostNodes: ReadonlySet<string> },
): string[] {
  const read = <T>(prefix: string) => store.list(prefix).entries.map(({ value }) => parseValue<T>(value));
  const volumes = read<PersistentVolume>("core/persistentvolumes/_/");
  return read<VolumeAttachment>("storage.k8s.io/volumeattachments/_/").flatMap(({ spec, status }) => {
    const { nodeName, source } = spec;
    if (lostNodes.has(nodeName)) return [];
    const claimRef = volumes.find(({ metadata }) => metadata.name === source.persistentVolumeName)?.spec?.claimRef;
    const isUsed = pods.some((pod) => pod.spec?.nodeName === nodeName && usesClaim(pod, claimRef?.name ?? ""));
    if (isUsed && status?.attached === true) return [];
    return [`volume ${source.persistentVolumeName} is ${isUsed ? "not attached" : "still attached"} to ${nodeName}`];
  });
}

function usesClaim({ metadata, spec }: Pod, claimName: string): boolean {
  return (spec?.volumes ?? []).some((volume) => claimOfVolume(volume, metadata.name ?? "") === claimName);
}
