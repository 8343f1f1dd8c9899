import type { z } from "zod";
import { atomicObject, field, object, required } from "../../schema/fields.ts";
import { keyDefault, text } from "../../schema/types.ts";

export const LocalObjectReference = atomicObject(
  "io.k8s.api.core.v1.LocalObjectReference",
  "An object in the same namespace, by name.",
  () => ({
    name: field(1, keyDefault(text, ""), "Name of the object."),
  }),
);
export type LocalObjectReference = z.infer<typeof LocalObjectReference>;

export const ObjectReference = atomicObject(
  "io.k8s.api.core.v1.ObjectReference",
  "An object anywhere in the cluster.",
  () => ({
    kind: field(1, text, "Kind of the object."),
    namespace: field(2, text, "Namespace of the object."),
    name: field(3, text, "Name of the object."),
    uid: field(4, text, "Identity of the object."),
    apiVersion: field(5, text, "Group and version of the object."),
    resourceVersion: field(6, text, "Version of the object."),
    fieldPath: field(7, text, "A part of the object, such as spec.containers{web}."),
  }),
);
export type ObjectReference = z.infer<typeof ObjectReference>;

export const TypedLocalObjectReference = atomicObject(
  "io.k8s.api.core.v1.TypedLocalObjectReference",
  "An object of any kind in the same namespace.",
  () => ({
    apiGroup: field(1, text),
    kind: required(2, text),
    name: required(3, text),
  }),
);
export type TypedLocalObjectReference = z.infer<typeof TypedLocalObjectReference>;

export const TypedObjectReference = object(
  "io.k8s.api.core.v1.TypedObjectReference",
  "An object of any kind, perhaps in another namespace.",
  () => ({
    apiGroup: field(1, text),
    kind: required(2, text),
    name: required(3, text),
    namespace: field(4, text),
  }),
);
export type TypedObjectReference = z.infer<typeof TypedObjectReference>;
