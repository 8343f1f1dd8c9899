import {
  csiDriverKind,
  csiNodeKind,
  csiStorageCapacityKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  storageClassKind,
  volumeAttachmentKind,
  volumeAttributesClassKind,
} from "@kintsugi/api";
import { listedObject, minutesAgo5, type TableRow } from "./table-row.ts";

/** Volumes, claims, classes and drivers. */
export const storageRows: readonly TableRow[] = [
  {
    name: "the default storage class",
    kind: storageClassKind,
    object: listedObject(
      { provisioner: "p", reclaimPolicy: "Delete", volumeBindingMode: "Immediate", allowVolumeExpansion: true },
      { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    ),
    cells: ["x (default)", "p", "Delete", "Immediate", true, "5m"],
  },
  {
    name: "a volume that is being attached to a node",
    kind: volumeAttachmentKind,
    object: listedObject({ spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "v" } } }),
    cells: ["x", "d", "v", "n", false, "5m"],
  },
  {
    name: "a driver that receives tokens",
    kind: csiDriverKind,
    object: listedObject({
      spec: {
        attachRequired: false,
        tokenRequests: [{ audience: "a" }, { audience: "b" }],
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
      },
    }),
    cells: ["x", false, false, false, "a,b", false, "Persistent,Ephemeral", "5m"],
  },
  {
    name: "a node's drivers",
    kind: csiNodeKind,
    object: listedObject({ spec: { drivers: [{ name: "d", nodeID: "n" }] } }),
    cells: ["x", 1, "5m"],
  },
  {
    name: "an unknown capacity",
    kind: csiStorageCapacityKind,
    object: listedObject({ storageClassName: "fast" }),
    cells: ["x", "fast", "<unset>"],
  },
  {
    name: "a class of attributes",
    kind: volumeAttributesClassKind,
    object: listedObject({ driverName: "d" }),
    cells: ["x", "d", "5m"],
  },
  {
    name: "a claim that waits",
    kind: persistentVolumeClaimKind,
    object: listedObject({ spec: { storageClassName: "fast" }, status: { phase: "Pending" } }),
    cells: ["x", "Pending", "", "", "", "fast", "<unset>", "5m", "<unset>"],
  },
  {
    name: "a bound claim that is being deleted",
    kind: persistentVolumeClaimKind,
    object: listedObject(
      {
        spec: { volumeName: "v", volumeMode: "Block", volumeAttributesClassName: "gold" },
        status: { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadWriteMany", "ReadWriteOnce"] },
      },
      { deletionTimestamp: minutesAgo5, annotations: { "volume.beta.kubernetes.io/storage-class": "old" } },
    ),
    cells: ["x", "Terminating", "v", "2Gi", "RWO,RWX", "old", "gold", "5m", "Block"],
  },
  {
    name: "a bound volume",
    kind: persistentVolumeKind,
    object: listedObject({
      spec: {
        capacity: { storage: "2Gi" },
        accessModes: ["ReadWriteOncePod"],
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { namespace: "default", name: "c" },
        storageClassName: "fast",
        volumeMode: "Filesystem",
      },
      status: { phase: "Failed", reason: "Broken" },
    }),
    cells: ["x", "2Gi", "RWOP", "Retain", "Failed", "default/c", "fast", "<unset>", "Broken", "5m", "Filesystem"],
  },
];
