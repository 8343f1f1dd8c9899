import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { anyObject, atomicList, bool, int64, keyedList, map, oneOf, setList, text, time } from "../schema/types.ts";

export const OwnerReference = atomicObject(
  "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
  "OwnerReference refers to an owner of the object. The garbage collector deletes the object after all of its owners are deleted.",
  () => ({
    kind: required(1, text, "Kind of the owner."),
    name: required(3, text, "Name of the owner."),
    uid: required(4, text, "UID of the owner."),
    apiVersion: required(5, text, "API group and version of the owner."),
    controller: field(
      6,
      bool,
      "True if the owner is the managing controller of the object. An object has at most one managing controller.",
    ),
    blockOwnerDeletion: field(
      7,
      bool,
      "Blocks a foreground deletion of the owner until the object is deleted if true. Defaults to false.",
    ),
  }),
);
export type OwnerReference = z.infer<typeof OwnerReference>;

export const ManagedFieldsEntry = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
  "ManagedFieldsEntry records the fields that one manager has set through one kind of operation.",
  () => ({
    manager: field(1, text, "Name of the manager of the fields."),
    operation: field(
      2,
      oneOf("Apply", "Update"),
      "Operation that set the fields: Apply for server-side apply, Update for all other writes.",
    ),
    apiVersion: field(3, text, "API version of the fields."),
    time: field(4, time, "Time at which the entry was created or its fields last changed."),
    fieldsType: field(6, text, "Format of the fields. Always FieldsV1."),
    fieldsV1: field(7, anyObject, "Set of fields as a tree in the format FieldsV1."),
    subresource: field(
      8,
      text,
      "Subresource through which the fields were set. An empty value means the main resource.",
    ),
  }),
);
export type ManagedFieldsEntry = z.infer<typeof ManagedFieldsEntry>;

export const ObjectMeta = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  "ObjectMeta is the metadata of every stored object.",
  () => ({
    name: field(1, text, "Name of the object, unique among the objects of its kind and namespace. Immutable."),
    generateName: field(2, text, "Prefix of a unique name that the server generates if name is empty."),
    namespace: field(3, text, "Namespace of the object. Empty for cluster-scoped objects. Immutable."),
    selfLink: field(4, text, "Deprecated and no longer set."),
    uid: field(
      5,
      text,
      "Unique ID of the object, set by the server on creation. The ID differs from the IDs of earlier and later objects with the same name.",
    ),
    resourceVersion: field(
      6,
      text,
      "Opaque value that the server changes at every write. Clients use the value to detect changes and to start watches.",
    ),
    generation: field(7, int64, "Number that the server increases with every change to the desired state."),
    creationTimestamp: field(8, time, "Time at which the server created the object, in UTC."),
    deletionTimestamp: field(
      9,
      time,
      "Time at which the object is to be deleted, set by the server on a graceful deletion. The time cannot be unset.",
    ),
    deletionGracePeriodSeconds: field(
      10,
      int64,
      "Time for the object to shut down, in seconds. The time can only be shortened.",
    ),
    labels: field(11, map(text), "Keys and values that selectors match."),
    annotations: field(12, map(text), "Keys and values for tools and libraries. Selectors do not match them."),
    ownerReferences: field(
      13,
      keyedList(OwnerReference, ["uid"]),
      "Owners that the object depends on. At most one owner is the object's managing controller.",
    ),
    finalizers: field(
      14,
      setList(text, { patchStrategy: "merge" }),
      "Finalizers of the object. The object is removed after controllers have removed all finalizers.",
    ),
    managedFields: field(
      17,
      atomicList(ManagedFieldsEntry),
      "Fields that each manager has set. Server-side apply uses the entries to detect conflicts.",
    ),
  }),
);
export type ObjectMeta = z.infer<typeof ObjectMeta>;
