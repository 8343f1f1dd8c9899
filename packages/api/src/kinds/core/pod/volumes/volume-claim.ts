import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../../meta/object-meta.ts";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, map, text, zeroCounts } from "../../../../schema/types.ts";
import { LocalObjectReference, TypedLocalObjectReference, TypedObjectReference } from "../../references.ts";
import { VolumeResourceRequirements } from "../spec/resources.ts";

export const PersistentVolumeClaimVolumeSource = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
  "PersistentVolumeClaimVolumeSource is the volume that is bound to a PersistentVolumeClaim.",
  () => ({
    claimName: required(1, text, "Name of the claim in the namespace of the pod."),
    readOnly: field(2, bool, "Mounts the volume read-only if true. Defaults to false."),
  }),
);
export type PersistentVolumeClaimVolumeSource = z.infer<typeof PersistentVolumeClaimVolumeSource>;

export const PersistentVolumeClaimSpec = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
  "Volume that a claim requests.",
  () => ({
    accessModes: field(1, atomicList(text), "Access modes that the volume must support, such as ReadWriteOnce."),
    resources: field(2, VolumeResourceRequirements, "Minimum resources of the volume."),
    volumeName: field(3, text, "Name of the PersistentVolume that the claim is bound to."),
    selector: field(4, LabelSelector, "Label selector of the volumes that may be bound to the claim."),
    storageClassName: field(
      5,
      zeroCounts(text),
      "Name of the required StorageClass. An empty value requires a volume without a class.",
    ),
    volumeMode: field(
      6,
      text,
      "Mode of the volume: Filesystem for a mounted filesystem, Block for a raw block device. Defaults to Filesystem.",
    ),
    dataSource: field(7, TypedLocalObjectReference, "Snapshot or claim from which the volume is populated."),
    dataSourceRef: field(
      8,
      TypedObjectReference,
      "Object from which the volume is populated, of any kind and possibly in another namespace.",
    ),
    volumeAttributesClassName: field(
      9,
      text,
      "Name of the claim's VolumeAttributesClass. May be changed after creation.",
    ),
  }),
);
export type PersistentVolumeClaimSpec = z.infer<typeof PersistentVolumeClaimSpec>;

export const PersistentVolumeClaimTemplate = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
  "PersistentVolumeClaimTemplate is the template of the claim that is created for a pod's volume.",
  () => ({
    metadata: field(1, ObjectMeta, "Labels and annotations of the claim."),
    spec: required(2, PersistentVolumeClaimSpec, "Spec of the claim."),
  }),
);
export type PersistentVolumeClaimTemplate = z.infer<typeof PersistentVolumeClaimTemplate>;

export const EphemeralVolumeSource = object(
  "io.k8s.api.core.v1.EphemeralVolumeSource",
  "EphemeralVolumeSource is a volume that a storage driver provides and that is deleted together with the pod.",
  () => ({
    volumeClaimTemplate: field(
      1,
      PersistentVolumeClaimTemplate,
      "Template of the claim, which is named <pod>-<volume> and owned by the pod.",
    ),
  }),
);
export type EphemeralVolumeSource = z.infer<typeof EphemeralVolumeSource>;

export const CSIVolumeSource = object(
  "io.k8s.api.core.v1.CSIVolumeSource",
  "CSIVolumeSource is an ephemeral volume that a CSI driver provides.",
  () => ({
    driver: required(1, text, "Name of the CSI driver."),
    readOnly: field(2, zeroCounts(bool), "Mounts the volume read-only if true. Defaults to false."),
    fsType: field(
      3,
      text,
      "Filesystem type that is passed to the driver, such as ext4. If empty, the driver chooses the type.",
    ),
    volumeAttributes: field(4, map(text), "Properties that are passed to the driver."),
    nodePublishSecretRef: field(
      5,
      LocalObjectReference,
      "Secret that is passed to the driver to publish and unpublish the volume.",
    ),
  }),
);
export type CSIVolumeSource = z.infer<typeof CSIVolumeSource>;
