import type { z } from "zod";
import { atomicObject, field, object, required } from "../../schema/fields.ts";
import { keyDefault, text } from "../../schema/types.ts";

export const LocalObjectReference = atomicObject(
  "io.k8s.api.core.v1.LocalObjectReference",
  "LocalObjectReference refers to an object in the same namespace.",
  () => ({
    name: field(1, keyDefault(text, ""), "Name of the object."),
  }),
);
export type LocalObjectReference = z.infer<typeof LocalObjectReference>;

export const ObjectReference = atomicObject(
  "io.k8s.api.core.v1.ObjectReference",
  "ObjectReference refers to another object.",
  () => ({
    kind: field(1, text, "Kind of the object."),
    namespace: field(2, text, "Namespace of the object."),
    name: field(3, text, "Name of the object."),
    uid: field(4, text, "UID of the object."),
    apiVersion: field(5, text, "API group and version of the object."),
    resourceVersion: field(6, text, "Resource version of the object."),
    fieldPath: field(7, text, "Part of the object, such as spec.containers{web}."),
  }),
);
export type ObjectReference = z.infer<typeof ObjectReference>;

export const SecretReference = atomicObject(
  "io.k8s.api.core.v1.SecretReference",
  "SecretReference refers to a Secret in a namespace.",
  () => ({
    name: field(1, text, "Name of the Secret."),
    namespace: field(2, text, "Namespace of the Secret."),
  }),
);
export type SecretReference = z.infer<typeof SecretReference>;

export const TypedLocalObjectReference = atomicObject(
  "io.k8s.api.core.v1.TypedLocalObjectReference",
  "TypedLocalObjectReference refers to an object of any kind in the same namespace.",
  () => ({
    apiGroup: field(1, text, "API group of the object. An empty value means the core group."),
    kind: required(2, text, "Kind of the object."),
    name: required(3, text, "Name of the object."),
  }),
);
export type TypedLocalObjectReference = z.infer<typeof TypedLocalObjectReference>;

export const TypedObjectReference = object(
  "io.k8s.api.core.v1.TypedObjectReference",
  "TypedObjectReference refers to an object of any kind, possibly in another namespace.",
  () => ({
    apiGroup: field(1, text, "API group of the object. An empty value means the core group."),
    kind: required(2, text, "Kind of the object."),
    name: required(3, text, "Name of the object."),
    namespace: field(4, text, "Namespace of the object. An empty value means the namespace of the referring object."),
  }),
);
export type TypedObjectReference = z.infer<typeof TypedObjectReference>;
