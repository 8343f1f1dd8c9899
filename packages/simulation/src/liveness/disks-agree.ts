import {
  claimOfVolume,
  compareQuantities,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from "@kintsugi/api";
import type { SimulatedCluster } from "../cluster.ts";
import { parseValue } from "../committed-values.ts";

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

/**
 * Lists the claims in use whose capacity is below their request, and the disks that are smaller
 * than their claims report.
 */
export function ungrownClaims(
  { store }: Pick<SimulatedCluster, "store">,
  { pods, lostNodes }: { pods: readonly Pod[]; lostNodes: ReadonlySet<string> },
): string[] {
  const read = <T>(prefix: string) => store.list(prefix).entries.map(({ value }) => parseValue<T>(value));
  const volumes = read<PersistentVolume>("core/persistentvolumes/_/");
  return read<PersistentVolumeClaim>("core/persistentvolumeclaims/").flatMap((claim) => {
    const { metadata, spec, status } = claim;
    if (status?.phase !== "Bound") return [];
    const [wanted, has] = [spec?.resources?.requests?.["storage"] ?? "0", status.capacity?.["storage"] ?? "0"];
    const volume = volumes.find((each) => each.metadata.name === spec?.volumeName);
    const own = volume?.spec?.capacity?.["storage"] ?? "0";
    const wrong = compareQuantities(own, has) < 0 ? [`claim ${metadata.name} states ${has}, its volume ${own}`] : [];
    const isMounted = pods.some(
      (pod) =>
        !lostNodes.has(pod.spec?.nodeName ?? "") &&
        pod.metadata.namespace === metadata.namespace &&
        usesClaim(pod, metadata.name ?? ""),
    );
    if (isMounted && compareQuantities(has, wanted) < 0) wrong.push(`claim ${metadata.name} has ${has} of ${wanted}`);
    return wrong;
  });
}

function usesClaim({ metadata, spec }: Pod, claimName: string): boolean {
  return (spec?.volumes ?? []).some((volume) => claimOfVolume(volume, metadata.name ?? "") === claimName);
}
