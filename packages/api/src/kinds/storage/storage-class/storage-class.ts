import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, map, text } from "../../../schema/types.ts";

export const TopologySelectorLabelRequirement = object(
  "io.k8s.api.core.v1.TopologySelectorLabelRequirement",
  "The requirement limits the values of one label.",
  () => ({
    key: required(1, text, "The requirement is about the label with this key."),
    values: required(2, atomicList(text), "The label must have one of these values."),
  }),
);
export type TopologySelectorLabelRequirement = z.infer<typeof TopologySelectorLabelRequirement>;

export const TopologySelectorTerm = atomicObject(
  "io.k8s.api.core.v1.TopologySelectorTerm",
  "The term selects nodes by their labels; all its requirements must hold.",
  () => ({
    matchLabelExpressions: field(
      1,
      atomicList(TopologySelectorLabelRequirement),
      "A node must meet all of these requirements.",
    ),
  }),
);
export type TopologySelectorTerm = z.infer<typeof TopologySelectorTerm>;

export const StorageClass = kind(
  "io.k8s.api.storage.v1.StorageClass",
  "A StorageClass describes how volumes for claims are provisioned.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    provisioner: required(2, text, "The provisioner with this name makes the volumes of the class."),
    parameters: field(3, map(text), "The provisioner receives these parameters."),
    reclaimPolicy: field(
      4,
      text,
      "A provisioned volume whose claim is gone is removed by Delete, the default, or kept by Retain.",
    ),
    mountOptions: field(5, atomicList(text), "Provisioned volumes are mounted with these options."),
    allowVolumeExpansion: field(6, bool, "Claims of the class may be expanded when this is true."),
    volumeBindingMode: field(
      7,
      text,
      "Immediate, the default, binds a claim at once; WaitForFirstConsumer waits until a pod that uses it is scheduled.",
    ),
    allowedTopologies: field(
      8,
      atomicList(TopologySelectorTerm),
      "Volumes are provisioned only for nodes that match one of these terms; an empty list allows all nodes.",
    ),
  }),
);
export type StorageClass = z.infer<typeof StorageClass>;

/** Annotations that mark the default class with the value true. */
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** The default class that was created last; of two created at the same time, the first by name. */
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
