import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../../meta/object-meta.ts";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, map, text, zeroCounts } from "../../../../schema/types.ts";
import { LocalObjectReference, TypedLocalObjectReference, TypedObjectReference } from "../../references.ts";
import { VolumeResourceRequirements } from "../spec/resources.ts";

export const PersistentVolumeClaimVolumeSource = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
  "The source mounts the volume that is bound to a PersistentVolumeClaim.",
  () => ({
    claimName: required(1, text, "The claim has this name and is in the namespace of the pod."),
    readOnly: field(2, bool, "The volume is mounted read-only when this is true; the default is false."),
  }),
);
export type PersistentVolumeClaimVolumeSource = z.infer<typeof PersistentVolumeClaimVolumeSource>;

export const PersistentVolumeClaimSpec = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
  "The spec describes the volume that a claim requests.",
  () => ({
    accessModes: field(1, atomicList(text), "The volume must support these access modes, such as ReadWriteOnce."),
    resources: field(2, VolumeResourceRequirements, "The volume must have at least these resources."),
    volumeName: field(3, text, "The claim is bound to the PersistentVolume with this name."),
    selector: field(4, LabelSelector, "Only volumes that match this selector may be bound."),
    storageClassName: field(
      5,
      zeroCounts(text),
      "The claim requires the StorageClass with this name; an empty value requires a volume without a class.",
    ),
    volumeMode: field(6, text, "Filesystem, the default, provides a mounted filesystem, and Block a raw device."),
    dataSource: field(7, TypedLocalObjectReference, "The volume is filled from this snapshot or claim."),
    dataSourceRef: field(
      8,
      TypedObjectReference,
      "The volume is filled from this object, which may be of any kind and in another namespace.",
    ),
    volumeAttributesClassName: field(
      9,
      text,
      "The claim uses the VolumeAttributesClass with this name, which may be changed after creation.",
    ),
  }),
);
export type PersistentVolumeClaimSpec = z.infer<typeof PersistentVolumeClaimSpec>;

export const PersistentVolumeClaimTemplate = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
  "The template describes the claim that is created for a pod's volume.",
  () => ({
    metadata: field(1, ObjectMeta, "The claim receives these labels and annotations."),
    spec: required(2, PersistentVolumeClaimSpec, "The claim receives this spec unchanged."),
  }),
);
export type PersistentVolumeClaimTemplate = z.infer<typeof PersistentVolumeClaimTemplate>;

export const EphemeralVolumeSource = object(
  "io.k8s.api.core.v1.EphemeralVolumeSource",
  "The source is a volume that a storage driver provides and that is deleted with the pod.",
  () => ({
    volumeClaimTemplate: field(
      1,
      PersistentVolumeClaimTemplate,
      "A claim is created from this template, named <pod>-<volume> and owned by the pod.",
    ),
  }),
);
export type EphemeralVolumeSource = z.infer<typeof EphemeralVolumeSource>;

export const CSIVolumeSource = object(
  "io.k8s.api.core.v1.CSIVolumeSource",
  "The source is an ephemeral volume that a CSI driver provides.",
  () => ({
    driver: required(1, text, "The volume is provided by the CSI driver with this name."),
    readOnly: field(2, zeroCounts(bool), "The volume is mounted read-only when this is true; the default is false."),
    fsType: field(
      3,
      text,
      "The driver receives this filesystem type, such as ext4; an empty value lets the driver decide.",
    ),
    volumeAttributes: field(4, map(text), "The driver receives these properties."),
    nodePublishSecretRef: field(
      5,
      LocalObjectReference,
      "The driver receives this Secret to publish and unpublish the volume.",
    ),
  }),
);
export type CSIVolumeSource = z.infer<typeof CSIVolumeSource>;
