import { claimOfVolume, type Pod } from "@kintsugi/api";
import type { StorageView } from "../../cluster-state/storage.ts";
import type { Plugin } from "../../framework/plugin.ts";
import { doesNotFitNow, fits } from "../../framework/verdict.ts";

const inUse = doesNotFitNow({ code: "VolumeInUse" });

/** A claim with the access mode ReadWriteOncePod is used by at most one pod in the cluster. */
export const volumeRestrictions: Plugin = {
  name: "VolumeRestrictions",
  filter: (pod, snapshot) => {
    const exclusive = exclusiveClaimsOf(pod.pod, snapshot.storage);
    if (exclusive.size === 0) return "anything";
    const uses = ({ namespace, pod: other }: typeof pod) =>
      namespace === pod.namespace && claimNamesOf(other).some((name) => exclusive.has(name));
    const users = snapshot.nodes.filter((node) => [...node.pods()].some(uses)).map(({ name }) => name);
    if (users.length === 0) return "anything";
    // Eviction helps only if it removes the claim's last user, so each node is inspected again.
    return {
      check: (node) => (users.some((name) => name !== node.name) || [...node.pods()].some(uses) ? inUse : fits),
    };
  },
  mayHelp: ({ pod, namespace }, event) => {
    switch (event.is) {
      case "AssignedPodDelete":
        return event.pod.namespace === namespace && shareClaim(pod, event.pod.pod);
      case "PersistentVolumeClaimAdd":
      case "PersistentVolumeClaimUpdate":
        return (
          event.claim.metadata.namespace === namespace && claimNamesOf(pod).includes(event.claim.metadata.name ?? "")
        );
      default:
        return false;
    }
  },
};

function exclusiveClaimsOf(pod: Pod, storage: StorageView): ReadonlySet<string> {
  const { namespace = "" } = pod.metadata;
  const isExclusive = (name: string) =>
    storage.findClaim(namespace, name)?.spec?.accessModes?.includes("ReadWriteOncePod") ?? false;
  return new Set(claimNamesOf(pod).filter(isExclusive));
}

function shareClaim(pod: Pod, other: Pod): boolean {
  const names = new Set(claimNamesOf(pod));
  return claimNamesOf(other).some((name) => names.has(name));
}

function claimNamesOf({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap((volume) => claimOfVolume(volume, metadata.name ?? "") ?? []);
}
