import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { BoundPod } from "../../model/bound-pod.ts";
import { podQos } from "../../model/pod-qos.ts";
import { cgroupHierarchies } from "../../machine/kernel/cgroup-files.ts";

/** The parent of all pods' cgroups. */
export function podsCgroupBelow(cgroupRoot: string): string {
  return `${cgroupRoot.replace(/\/$/, "")}/kubepods`;
}

/** `<parent>/burstable/pod<uid>`; Guaranteed pods stand beside the two classes. */
export function podCgroup(pod: BoundPod, { podsCgroup }: { podsCgroup: string }): string {
  const qos = podQos(pod);
  const parent = qos === "Guaranteed" ? podsCgroup : `${podsCgroup}/${qos.toLowerCase()}`;
  return `${parent}/pod${pod.metadata.uid}`;
}

/** The runtime makes more of a pod's cgroups on its way to the containers' and leaves them; the kubelet removes them with the pod. */
export async function removePodCgroups(podsCgroup: string, uid: string): Promise<void> {
  for (const hierarchy of await cgroupHierarchies()) {
    for (const qos of ["", "burstable", "besteffort"]) await removeEmpty(join(hierarchy, podsCgroup, qos, `pod${uid}`));
  }
}

/** A cgroup that still has processes stays; whoever owns them ends first. */
async function removeEmpty(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(path, entry.name));
  await rmdir(path).catch(() => {});
}
