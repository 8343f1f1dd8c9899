import type { z } from "zod";
import { atomicObject, field, object, required } from "../../schema/fields.ts";
import { text } from "../../schema/types.ts";

export const LocalObjectReference = atomicObject("io.k8s.api.core.v1.LocalObjectReference", {
  name: field(1, text),
});
export type LocalObjectReference = z.infer<typeof LocalObjectReference>;

export const ObjectReference = atomicObject("io.k8s.api.core.v1.ObjectReference", {
  kind: field(1, text),
  namespace: field(2, text),
  name: field(3, text),
  uid: field(4, text),
  apiVersion: field(5, text),
  resourceVersion: field(6, text),
  fieldPath: field(7, text),
});
export type ObjectReference = z.infer<typeof ObjectReference>;

export const TypedLocalObjectReference = atomicObject("io.k8s.api.core.v1.TypedLocalObjectReference", {
  apiGroup: field(1, text),
  kind: required(2, text),
  name: required(3, text),
});
export type TypedLocalObjectReference = z.infer<typeof TypedLocalObjectReference>;

export const TypedObjectReference = object("io.k8s.api.core.v1.TypedObjectReference", {
  apiGroup: field(1, text),
  kind: required(2, text),
  name: required(3, text),
  namespace: field(4, text),
});
export type TypedObjectReference = z.infer<typeof TypedObjectReference>;
