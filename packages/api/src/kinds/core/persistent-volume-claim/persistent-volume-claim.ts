import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, keyedList, map, quantity, text, time } from "../../../schema/types.ts";
import { PersistentVolumeClaimSpec } from "../pod/volumes/volume-claim.ts";

export const PersistentVolumeClaimCondition = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimCondition",
  "PersistentVolumeClaimCondition describes one aspect of the claim's state.",
  () => ({
    type: required(1, text, "Type of the condition, such as Resizing or FileSystemResizePending."),
    status: required(2, text, "Status of the condition: True, False or Unknown."),
    lastProbeTime: field(3, time, "Time of the last check of the condition."),
    lastTransitionTime: field(4, time, "Time at which the condition's status last changed."),
    reason: field(5, text, "Reason for the condition's status, one word such as ResizeStarted."),
    message: field(6, text, "Human-readable explanation of the reason."),
  }),
);
export type PersistentVolumeClaimCondition = z.infer<typeof PersistentVolumeClaimCondition>;

export const ModifyVolumeStatus = object(
  "io.k8s.api.core.v1.ModifyVolumeStatus",
  "Progress of the volume's change to another VolumeAttributesClass.",
  () => ({
    targetVolumeAttributesClassName: field(
      1,
      text,
      "Name of the VolumeAttributesClass that the volume is changing to.",
    ),
    status: required(2, text, "Status of the change: Pending, InProgress or Infeasible."),
  }),
);
export type ModifyVolumeStatus = z.infer<typeof ModifyVolumeStatus>;

export const PersistentVolumeClaimStatus = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimStatus",
  "Observed state of a claim and its volume.",
  () => ({
    phase: field(1, text, "Phase of the claim: Pending, Bound, or Lost if its volume no longer exists."),
    accessModes: field(2, atomicList(text), "Access modes of the bound volume."),
    capacity: field(3, map(quantity), "Resources of the bound volume."),
    conditions: field(
      4,
      keyedList(PersistentVolumeClaimCondition, ["type"]),
      "Observed conditions of the claim, such as Resizing.",
    ),
    allocatedResources: field(
      5,
      map(quantity),
      "Resources that the storage system has allocated. The allocated resources may exceed the capacity during an expansion.",
    ),
    allocatedResourceStatuses: field(
      7,
      map(text).meta({ mapType: "granular" }),
      "Status of each resource's expansion, such as ControllerResizeInProgress.",
    ),
    currentVolumeAttributesClassName: field(8, text, "Name of the volume's current VolumeAttributesClass."),
    modifyVolumeStatus: field(
      9,
      ModifyVolumeStatus,
      "Progress of the volume's change to another VolumeAttributesClass. Unset if no change is in progress.",
    ),
  }),
);
export type PersistentVolumeClaimStatus = z.infer<typeof PersistentVolumeClaimStatus>;

export const PersistentVolumeClaim = kind(
  "io.k8s.api.core.v1.PersistentVolumeClaim",
  "A PersistentVolumeClaim is a user's request for a PersistentVolume.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, PersistentVolumeClaimSpec, "Volume that the claim requests."),
    status: field(3, PersistentVolumeClaimStatus, "Observed state of the claim and its volume."),
  }),
);
export type PersistentVolumeClaim = z.infer<typeof PersistentVolumeClaim>;
