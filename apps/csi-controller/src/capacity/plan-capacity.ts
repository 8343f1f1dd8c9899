import { createHash } from "node:crypto";
import { apiVersionOf, bytesQuantity, csiStorageCapacities, type CSIStorageCapacity, sameJson } from "@kintsugi/api";
import type { Topology } from "@kintsugi/csi";

/** The namespace of the driver's controller, in which its capacities are stored. */
const capacityNamespace = "kube-system";
/** Upstream's labels, by which a provisioner identifies its own objects. */
const driverLabel = "csi.storage.k8s.io/drivername";
const managerLabel = "csi.storage.k8s.io/managed-by";
const manager = "kintsugi-csi-controller";

/** The capacity of one topology segment for volumes of one class. */
export interface PlaceRoom {
  readonly driverName: string;
  readonly storageClassName: string;
  readonly topology: Topology;
  readonly availableBytes: number;
}

/** Returns the object for the capacity; its name is the same at each attempt. */
export function capacityObject({
  driverName,
  storageClassName,
  topology,
  availableBytes,
}: PlaceRoom): CSIStorageCapacity {
  const segments = Object.entries(topology.segments).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const key = JSON.stringify([driverName, storageClassName, segments]);
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 20);
  return {
    apiVersion: apiVersionOf(csiStorageCapacities),
    kind: csiStorageCapacities.kind,
    metadata: {
      namespace: capacityNamespace,
      name: `csisc-${hash}`,
      labels: { [driverLabel]: driverName, [managerLabel]: manager },
    },
    storageClassName,
    nodeTopology: { matchLabels: Object.fromEntries(segments) },
    capacity: bytesQuantity(availableBytes),
  };
}

export function isOwnCapacity({ metadata }: CSIStorageCapacity, driverName: string): boolean {
  return metadata.labels?.[driverLabel] === driverName && metadata.labels[managerLabel] === manager;
}

export interface CapacityPlan {
  readonly create: readonly CSIStorageCapacity[];
  readonly update: readonly CSIStorageCapacity[];
  readonly remove: readonly CSIStorageCapacity[];
}

/** Returns the writes from the driver's current objects of a class to the desired objects. */
export function planCapacities(
  wanted: readonly CSIStorageCapacity[],
  present: readonly CSIStorageCapacity[],
): CapacityPlan {
  const find = (list: readonly CSIStorageCapacity[], { metadata }: CSIStorageCapacity) =>
    list.find((each) => each.metadata.name === metadata.name);
  return {
    create: wanted.filter((each) => find(present, each) === undefined),
    update: wanted.flatMap((each) => {
      const found = find(present, each);
      if (found === undefined || sameJson(found.capacity ?? null, each.capacity ?? null)) return [];
      return [{ ...found, capacity: each.capacity }];
    }),
    remove: present.filter((each) => find(wanted, each) === undefined),
  };
}
