import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../../meta/object-meta.ts";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, map, text } from "../../../../schema/types.ts";
import { LocalObjectReference, TypedLocalObjectReference, TypedObjectReference } from "../../references.ts";
import { VolumeResourceRequirements } from "../spec/resources.ts";

export const PersistentVolumeClaimVolumeSource = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
  "A volume that outlives pods, by its claim.",
  () => ({
    claimName: required(1, text),
    readOnly: field(2, bool),
  }),
);
export type PersistentVolumeClaimVolumeSource = z.infer<typeof PersistentVolumeClaimVolumeSource>;

export const PersistentVolumeClaimSpec = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
  "What a volume has to be like.",
  () => ({
    accessModes: field(1, atomicList(text)),
    resources: field(2, VolumeResourceRequirements),
    volumeName: field(3, text),
    selector: field(4, LabelSelector),
    storageClassName: field(5, text),
    volumeMode: field(6, text),
    dataSource: field(7, TypedLocalObjectReference),
    dataSourceRef: field(8, TypedObjectReference),
    volumeAttributesClassName: field(9, text),
  }),
);
export type PersistentVolumeClaimSpec = z.infer<typeof PersistentVolumeClaimSpec>;

export const PersistentVolumeClaimTemplate = object(
  "io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
  "The claim that is made for a pod's volume.",
  () => ({
    metadata: field(1, ObjectMeta),
    spec: required(2, PersistentVolumeClaimSpec),
  }),
);
export type PersistentVolumeClaimTemplate = z.infer<typeof PersistentVolumeClaimTemplate>;

export const EphemeralVolumeSource = object(
  "io.k8s.api.core.v1.EphemeralVolumeSource",
  "A volume that is made for the pod and goes with it.",
  () => ({
    volumeClaimTemplate: field(1, PersistentVolumeClaimTemplate),
  }),
);
export type EphemeralVolumeSource = z.infer<typeof EphemeralVolumeSource>;

export const CSIVolumeSource = object(
  "io.k8s.api.core.v1.CSIVolumeSource",
  "A volume that a driver makes for the pod.",
  () => ({
    driver: required(1, text),
    readOnly: field(2, bool),
    fsType: field(3, text),
    volumeAttributes: field(4, map(text)),
    nodePublishSecretRef: field(5, LocalObjectReference),
  }),
);
export type CSIVolumeSource = z.infer<typeof CSIVolumeSource>;
