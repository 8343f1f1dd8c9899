import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { anyObject, atomicList, bool, int64, keyedList, map, oneOf, setList, text, time } from "../schema/types.ts";

export const OwnerReference = atomicObject("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", {
  kind: required(1, text),
  name: required(3, text),
  uid: required(4, text),
  apiVersion: required(5, text),
  controller: field(6, bool),
  blockOwnerDeletion: field(7, bool),
});
export type OwnerReference = z.infer<typeof OwnerReference>;

export const ManagedFieldsEntry = object("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry", {
  manager: field(1, text),
  operation: field(2, oneOf("Apply", "Update")),
  apiVersion: field(3, text),
  time: field(4, time),
  fieldsType: field(6, text),
  fieldsV1: field(7, anyObject),
  subresource: field(8, text),
});
export type ManagedFieldsEntry = z.infer<typeof ManagedFieldsEntry>;

export const ObjectMeta = object("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", {
  name: field(1, text),
  generateName: field(2, text),
  namespace: field(3, text),
  selfLink: field(4, text),
  uid: field(5, text),
  resourceVersion: field(6, text),
  generation: field(7, int64),
  creationTimestamp: field(8, time),
  deletionTimestamp: field(9, time),
  deletionGracePeriodSeconds: field(10, int64),
  labels: field(11, map(text)),
  annotations: field(12, map(text)),
  ownerReferences: field(13, keyedList(OwnerReference, ["uid"])),
  finalizers: field(14, setList(text, { patchStrategy: "merge" })),
  managedFields: field(17, atomicList(ManagedFieldsEntry)),
});
export type ObjectMeta = z.infer<typeof ObjectMeta>;
