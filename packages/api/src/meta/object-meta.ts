import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { anyObject, atomicList, bool, int64, keyedList, map, oneOf, setList, text, time } from "../schema/types.ts";

export const OwnerReference = atomicObject(
  "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
  "An object on which this one depends; when all of them are gone, so is this one.",
  () => ({
    kind: required(1, text, "Kind of the owner."),
    name: required(3, text, "Name of the owner."),
    uid: required(4, text, "Identity of the owner."),
    apiVersion: required(5, text, "Group and version of the owner."),
    controller: field(6, bool, "The owner manages this object; at most one does."),
    blockOwnerDeletion: field(7, bool, "The owner waits for this object when it is deleted in the foreground."),
  }),
);
export type OwnerReference = z.infer<typeof OwnerReference>;

export const ManagedFieldsEntry = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
  "Which fields one manager has set, so that server-side apply knows whose they are.",
  () => ({
    manager: field(1, text, "Who set the fields."),
    operation: field(2, oneOf("Apply", "Update"), "Whether by applying or by another write."),
    apiVersion: field(3, text, "The version of the kind that the fields are named in."),
    time: field(4, time, "When the fields last changed."),
    fieldsType: field(6, text, "The form of fieldsV1."),
    fieldsV1: field(7, anyObject, "The fields, as a tree."),
    subresource: field(8, text, "Through which subresource they were set."),
  }),
);
export type ManagedFieldsEntry = z.infer<typeof ManagedFieldsEntry>;

export const ObjectMeta = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  "What every object has: its name, its identity, its labels, and who owns it.",
  () => ({
    name: field(1, text, "Unique among the objects of its kind in its namespace; never changes."),
    generateName: field(2, text, "Start of the name that the server makes when no name is given."),
    namespace: field(3, text, "The room its name lies in; empty for objects of the whole cluster."),
    selfLink: field(4, text, "No longer set."),
    uid: field(5, text, "Tells this object from all others of the same name, before and after."),
    resourceVersion: field(6, text, "Changes with every write; a write that names an older one is refused."),
    generation: field(7, int64, "Counts changes of the desired state."),
    creationTimestamp: field(8, time, "When the server stored it first."),
    deletionTimestamp: field(9, time, "When it is to be gone; set once its deletion is asked for."),
    deletionGracePeriodSeconds: field(10, int64, "How long it has to end after its deletion was asked for."),
    labels: field(11, map(text), "Keys and values by which selectors find it."),
    annotations: field(12, map(text), "Keys and values for whoever knows them; nothing selects by them."),
    ownerReferences: field(
      13,
      keyedList(OwnerReference, ["uid"]),
      "The objects on which it depends; one of them may control it.",
    ),
    finalizers: field(14, setList(text, { patchStrategy: "merge" }), "Who has to do something before it is gone."),
    managedFields: field(17, atomicList(ManagedFieldsEntry), "Which manager has set which fields."),
  }),
);
export type ObjectMeta = z.infer<typeof ObjectMeta>;
