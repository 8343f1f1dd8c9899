import {
  apiVersionOf,
  bytesQuantity,
  isApiError,
  memoryBytes,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  volumeSnapshots,
} from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import type { FaultableCluster } from "../../cluster.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { type Fault, namespace, pick, alreadyOver } from "../fault.ts";

/** The sizes to which users expand their claims. */
const stepBytes = 64 * 1024 ** 2;

/**
 * The snapshot classes and VolumeAttributesClasses of runs that need them; the assembly creates
 * them.
 */
export const snapshotClassNames = ["deleted", "retained"] as const;
export const attributesClassNames = ["silver", "gold"] as const;

const ofVolumes = {
  catalogue: [],
  target: "none",
  lasts: false,
  drawnApart: true,
  byUsers: true,
  isPossible: ({ workloads }: Pick<Scenario, "workloads">) => workloads.some(({ claims }) => claims),
} as const;

async function boundClaim(cluster: FaultableCluster, random: Random): Promise<PersistentVolumeClaim | undefined> {
  const { items } = await cluster.client.list(persistentVolumeClaims, { namespace });
  return pick(
    random,
    items.filter(({ status }) => status?.phase === "Bound"),
  );
}

/** The actions of a user on volumes. */
export const volumeFaults: readonly Fault[] = [
  {
    name: "grow-claim",
    catalogue: [],
    sentence: "A user requests 64Mi more for a bound claim.",
    target: "none",
    lasts: false,
    drawnApart: true,
    byUsers: true,
    isPossible: ({ workloads }) => workloads.some(({ claims }) => claims),
    inject: async ({ cluster, random }) => {
      const { items } = await cluster.client.list(persistentVolumeClaims, { namespace });
      const claim = pick(
        random,
        items.filter(({ status }) => status?.phase === "Bound"),
      );
      if (claim === undefined) return undefined;
      const storage = bytesQuantity(memoryBytes(claim.spec?.resources?.requests?.["storage"]) + stepBytes);
      const body = { spec: { resources: { requests: { storage } } } };
      const key = { namespace, name: claim.metadata.name ?? "" };
      await cluster.client.patch(persistentVolumeClaims, key, { type: "merge", body });
      return alreadyOver;
    },
  },
  {
    ...ofVolumes,
    name: "take-snapshot",
    sentence: "A user takes a snapshot of a bound claim. The snapshot is deleted with its object, or retained.",
    inject: async ({ cluster, random }) => {
      const claim = await boundClaim(cluster, random);
      const volumeSnapshotClassName = pick(random, snapshotClassNames);
      if (claim?.metadata.name === undefined || volumeSnapshotClassName === undefined) return undefined;
      const name = `of-${claim.metadata.name}-${cluster.clock.monotonicMs()}`;
      await cluster.client.create(volumeSnapshots, {
        apiVersion: apiVersionOf(volumeSnapshots),
        kind: volumeSnapshots.kind,
        metadata: { namespace, name },
        spec: { source: { persistentVolumeClaimName: claim.metadata.name }, volumeSnapshotClassName },
      });
      return alreadyOver;
    },
  },
  {
    ...ofVolumes,
    name: "delete-snapshot",
    sentence: "A user deletes a snapshot, whether it is ready or not.",
    inject: async ({ cluster, random }) => {
      const { items } = await cluster.client.list(volumeSnapshots, { namespace });
      const snapshot = pick(
        random,
        items.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      );
      if (snapshot === undefined) return undefined;
      const key = { namespace, name: snapshot.metadata.name ?? "" };
      await cluster.client.delete(volumeSnapshots, key).catch((error: unknown) => {
        if (!isApiError(error, "NotFound")) throw error;
      });
      return alreadyOver;
    },
  },
  {
    ...ofVolumes,
    name: "change-attributes-class",
    sentence: "A user changes a bound claim to another VolumeAttributesClass.",
    inject: async ({ cluster, random }) => {
      const claim = await boundClaim(cluster, random);
      if (claim === undefined) return undefined;
      const { volumeAttributesClassName: now } = claim.spec ?? {};
      const next = now === "gold" ? "silver" : now === "silver" ? "gold" : pick(random, attributesClassNames);
      const body = { spec: { volumeAttributesClassName: next } };
      const key = { namespace, name: claim.metadata.name ?? "" };
      await cluster.client.patch(persistentVolumeClaims, key, { type: "merge", body });
      return alreadyOver;
    },
  },
];

/** Reports whether a run needs the snapshot kinds and VolumeAttributesClasses. */
export function hasSnapshots({ faults, workloads }: Pick<Scenario, "faults" | "workloads">): boolean {
  const names = ["take-snapshot", "delete-snapshot", "change-attributes-class"];
  return workloads.some(({ claims }) => claims) && faults.some(({ fault }) => names.includes(fault));
}
