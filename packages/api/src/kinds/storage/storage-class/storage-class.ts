import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, map, text } from "../../../schema/types.ts";

export const TopologySelectorLabelRequirement = object(
  "io.k8s.api.core.v1.TopologySelectorLabelRequirement",
  "TopologySelectorLabelRequirement limits the values of one label.",
  () => ({
    key: required(1, text, "Key of the label."),
    values: required(2, atomicList(text), "Allowed values of the label."),
  }),
);
export type TopologySelectorLabelRequirement = z.infer<typeof TopologySelectorLabelRequirement>;

export const TopologySelectorTerm = atomicObject(
  "io.k8s.api.core.v1.TopologySelectorTerm",
  "TopologySelectorTerm selects nodes by their labels. All requirements must hold.",
  () => ({
    matchLabelExpressions: field(
      1,
      atomicList(TopologySelectorLabelRequirement),
      "Requirements for a node. All requirements must hold.",
    ),
  }),
);
export type TopologySelectorTerm = z.infer<typeof TopologySelectorTerm>;

export const StorageClass = kind(
  "io.k8s.api.storage.v1.StorageClass",
  "A StorageClass describes the provisioning of volumes for claims.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    provisioner: required(2, text, "Name of the provisioner of the class's volumes."),
    parameters: field(3, map(text), "Parameters that are passed to the provisioner."),
    reclaimPolicy: field(
      4,
      text,
      "Handling of a provisioned volume after its claim is deleted: Delete or Retain. Defaults to Delete.",
    ),
    mountOptions: field(5, atomicList(text), "Mount options of provisioned volumes."),
    allowVolumeExpansion: field(6, bool, "Allows the expansion of claims if true."),
    volumeBindingMode: field(
      7,
      text,
      "Time at which a claim is bound: Immediate binds the claim on creation, WaitForFirstConsumer after a pod that uses the claim is scheduled. Defaults to Immediate.",
    ),
    allowedTopologies: field(
      8,
      atomicList(TopologySelectorTerm),
      "Topologies for which volumes are provisioned. If empty, all nodes are allowed.",
    ),
  }),
);
export type StorageClass = z.infer<typeof StorageClass>;

/** Annotations that mark the default class with the value true. */
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/**
 * The default class that was created last; if several were created at the same time, the first of
 * these by name.
 */
export function findDefaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const timeOf = ({ metadata }: StorageClass) => metadata.creationTimestamp ?? "";
  const nameOf = ({ metadata }: StorageClass) => metadata.name ?? "";
  let newest: StorageClass | undefined;
  for (const each of classes.filter(isDefaultClass)) {
    if (newest === undefined || timeOf(each) > timeOf(newest)) newest = each;
    else if (timeOf(each) === timeOf(newest) && nameOf(each) < nameOf(newest)) newest = each;
  }
  return newest;
}

export function isDefaultClass({ metadata }: Pick<StorageClass, "metadata">): boolean {
  return defaultAnnotations.some((key) => metadata.annotations?.[key] === "true");
}
