import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, keyedList, map, quantity, text, time } from "../../../schema/types.ts";
import { PersistentVolumeClaimSpec } from "../pod/volumes/volume-claim.ts";

export const PersistentVolumeClaimCondition = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimCondition",
  "The condition describes one aspect of the claim's current state.",
  () => ({
    type: required(1, text, "The condition has this type, such as Resizing or FileSystemResizePending."),
    status: required(2, text, "The condition is True, False or Unknown."),
    lastProbeTime: field(3, time, "The condition was checked last at this time."),
    lastTransitionTime: field(4, time, "The status of the condition changed last at this time."),
    reason: field(5, text, "The reason is one word for machines, such as ResizeStarted."),
    message: field(6, text, "The message explains the reason to people."),
  }),
);
export type PersistentVolumeClaimCondition = z.infer<typeof PersistentVolumeClaimCondition>;

export const ModifyVolumeStatus = object(
  "io.k8s.api.core.v1.ModifyVolumeStatus",
  "The status reports a change of the volume's VolumeAttributesClass.",
  () => ({
    targetVolumeAttributesClassName: field(1, text, "The volume is being changed to this VolumeAttributesClass."),
    status: required(2, text, "The change is Pending, InProgress or Infeasible."),
  }),
);
export type ModifyVolumeStatus = z.infer<typeof ModifyVolumeStatus>;

export const PersistentVolumeClaimStatus = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimStatus",
  "The status reports the volume that the claim received.",
  () => ({
    phase: field(1, text, "The claim is Pending, Bound, or Lost when its volume no longer exists."),
    accessModes: field(2, atomicList(text), "The bound volume has these access modes."),
    capacity: field(3, map(quantity), "The bound volume has these resources."),
    conditions: field(
      4,
      keyedList(PersistentVolumeClaimCondition, ["type"]),
      "Conditions describe the claim's current state, such as Resizing.",
    ),
    allocatedResources: field(
      5,
      map(quantity),
      "The storage system has these resources allocated, which may be more than the capacity during an expansion.",
    ),
    allocatedResourceStatuses: field(
      7,
      map(text).meta({ mapType: "granular" }),
      "The expansion of each resource has this status, such as ControllerResizeInProgress.",
    ),
    currentVolumeAttributesClassName: field(8, text, "The volume has this VolumeAttributesClass now."),
    modifyVolumeStatus: field(
      9,
      ModifyVolumeStatus,
      "The status reports a change to another VolumeAttributesClass; it is unset when there is none.",
    ),
  }),
);
export type PersistentVolumeClaimStatus = z.infer<typeof PersistentVolumeClaimStatus>;

export const PersistentVolumeClaim = kind(
  "io.k8s.api.core.v1.PersistentVolumeClaim",
  "A PersistentVolumeClaim is a user's request for a PersistentVolume.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, PersistentVolumeClaimSpec, "The spec describes the requested volume."),
    status: field(3, PersistentVolumeClaimStatus, "The status reports the volume that the claim received."),
  }),
);
export type PersistentVolumeClaim = z.infer<typeof PersistentVolumeClaim>;
