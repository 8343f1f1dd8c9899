import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { anyObject, atomicList, bool, int64, keyedList, map, oneOf, setList, text, time } from "../schema/types.ts";

export const OwnerReference = atomicObject(
  "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
  "An OwnerReference names an owner of the object; the garbage collector deletes the object when all its owners are gone.",
  () => ({
    kind: required(1, text, "The owner is of this kind."),
    name: required(3, text, "The owner has this name."),
    uid: required(4, text, "The owner has this UID."),
    apiVersion: required(5, text, "The owner belongs to this API group and version."),
    controller: field(
      6,
      bool,
      "The owner is the managing controller of the object when this is true; at most one owner may be.",
    ),
    blockOwnerDeletion: field(
      7,
      bool,
      "A foreground deletion of the owner waits for the object when this is true; the default is false.",
    ),
  }),
);
export type OwnerReference = z.infer<typeof OwnerReference>;

export const ManagedFieldsEntry = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
  "The entry records the fields that one manager has set through one kind of operation.",
  () => ({
    manager: field(1, text, "The fields were set by the workflow with this name."),
    operation: field(
      2,
      oneOf("Apply", "Update"),
      "The fields were set by Apply, or by Update, which stands for every other write.",
    ),
    apiVersion: field(3, text, "The fields are written for this version of the kind."),
    time: field(4, time, "The entry was created, or its fields last changed, at this time."),
    fieldsType: field(6, text, "The format of the fields is FieldsV1."),
    fieldsV1: field(7, anyObject, "The set of fields is stored as a tree in the FieldsV1 format."),
    subresource: field(
      8,
      text,
      "The fields were set through this subresource; an empty value means the main resource.",
    ),
  }),
);
export type ManagedFieldsEntry = z.infer<typeof ManagedFieldsEntry>;

export const ObjectMeta = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  "ObjectMeta holds the metadata that every stored object has.",
  () => ({
    name: field(1, text, "The name identifies the object among those of its kind and namespace; it cannot be changed."),
    generateName: field(2, text, "The server makes a unique name from this prefix if name is empty."),
    namespace: field(
      3,
      text,
      "The object is in this namespace, which cannot be changed; it is empty for objects without a namespace.",
    ),
    selfLink: field(4, text, "This field is deprecated and no longer set."),
    uid: field(
      5,
      text,
      "The server assigns this unique ID on creation; it tells the object from earlier and later ones of the same name.",
    ),
    resourceVersion: field(
      6,
      text,
      "The server changes this opaque value with every write; clients use it to detect changes and to start watches.",
    ),
    generation: field(7, int64, "The server increases this number with every change of the desired state."),
    creationTimestamp: field(8, time, "The server created the object at this time, in UTC."),
    deletionTimestamp: field(
      9,
      time,
      "The object is to be deleted at this time; the server sets it on a graceful deletion, and it cannot be unset.",
    ),
    deletionGracePeriodSeconds: field(
      10,
      int64,
      "The object has this many seconds to shut down; it may only be shortened.",
    ),
    labels: field(11, map(text), "Labels are keys and values by which selectors find the object."),
    annotations: field(
      12,
      map(text),
      "Annotations are keys and values for tools and libraries; selectors do not use them.",
    ),
    ownerReferences: field(
      13,
      keyedList(OwnerReference, ["uid"]),
      "The object depends on these owners, of which at most one is its controller.",
    ),
    finalizers: field(
      14,
      setList(text, { patchStrategy: "merge" }),
      "The object is removed only when every finalizer in this list has been removed by its controller.",
    ),
    managedFields: field(
      17,
      atomicList(ManagedFieldsEntry),
      "Each entry records the fields that one manager has set; server-side apply uses them to find conflicts.",
    ),
  }),
);
export type ObjectMeta = z.infer<typeof ObjectMeta>;
