import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, atomicObject, field, kind, required } from "../../schema/fields.ts";
import { atomicList, text } from "../../schema/types.ts";

export const RoleRef = atomicObject("io.k8s.api.rbac.v1.RoleRef", {
  apiGroup: field(1, text),
  kind: required(2, text),
  name: required(3, text),
});
export type RoleRef = z.infer<typeof RoleRef>;

export const Subject = atomicObject("io.k8s.api.rbac.v1.Subject", {
  kind: required(1, text),
  apiGroup: field(2, text),
  name: required(3, text),
  namespace: field(4, text),
});
export type Subject = z.infer<typeof Subject>;

export const RoleBinding = kind("io.k8s.api.rbac.v1.RoleBinding", {
  metadata: always(1, ObjectMeta),
  subjects: field(2, atomicList(Subject)),
  roleRef: required(3, RoleRef),
});
export type RoleBinding = z.infer<typeof RoleBinding>;

export const ClusterRoleBinding = kind("io.k8s.api.rbac.v1.ClusterRoleBinding", {
  metadata: always(1, ObjectMeta),
  subjects: field(2, atomicList(Subject)),
  roleRef: required(3, RoleRef),
});
export type ClusterRoleBinding = z.infer<typeof ClusterRoleBinding>;
