import type { z } from "zod";
import { atomicObject, field, object, required } from "../../schema/fields.ts";
import { keyDefault, text } from "../../schema/types.ts";

export const LocalObjectReference = atomicObject(
  "io.k8s.api.core.v1.LocalObjectReference",
  "The reference names an object in the same namespace.",
  () => ({
    name: field(1, keyDefault(text, ""), "The object has this name."),
  }),
);
export type LocalObjectReference = z.infer<typeof LocalObjectReference>;

export const ObjectReference = atomicObject(
  "io.k8s.api.core.v1.ObjectReference",
  "The reference identifies another object.",
  () => ({
    kind: field(1, text, "The object is of this kind."),
    namespace: field(2, text, "The object is in this namespace."),
    name: field(3, text, "The object has this name."),
    uid: field(4, text, "The object has this UID."),
    apiVersion: field(5, text, "The object belongs to this API group and version."),
    resourceVersion: field(6, text, "The reference is to this version of the object."),
    fieldPath: field(7, text, "The reference is to this part of the object, such as spec.containers{web}."),
  }),
);
export type ObjectReference = z.infer<typeof ObjectReference>;

export const SecretReference = atomicObject(
  "io.k8s.api.core.v1.SecretReference",
  "The reference names a Secret in a namespace.",
  () => ({
    name: field(1, text, "The Secret has this name."),
    namespace: field(2, text, "The Secret is in this namespace."),
  }),
);
export type SecretReference = z.infer<typeof SecretReference>;

export const TypedLocalObjectReference = atomicObject(
  "io.k8s.api.core.v1.TypedLocalObjectReference",
  "The reference identifies an object of any kind in the same namespace.",
  () => ({
    apiGroup: field(1, text, "The object belongs to this API group; an empty value means the core group."),
    kind: required(2, text, "The object is of this kind."),
    name: required(3, text, "The object has this name."),
  }),
);
export type TypedLocalObjectReference = z.infer<typeof TypedLocalObjectReference>;

export const TypedObjectReference = object(
  "io.k8s.api.core.v1.TypedObjectReference",
  "The reference identifies an object of any kind, possibly in another namespace.",
  () => ({
    apiGroup: field(1, text, "The object belongs to this API group; an empty value means the core group."),
    kind: required(2, text, "The object is of this kind."),
    name: required(3, text, "The object has this name."),
    namespace: field(
      4,
      text,
      "The object is in this namespace; an empty value means the namespace of the referring object.",
    ),
  }),
);
export type TypedObjectReference = z.infer<typeof TypedObjectReference>;
