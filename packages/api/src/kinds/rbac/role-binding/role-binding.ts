import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";

export const RoleRef = atomicObject("io.k8s.api.rbac.v1.RoleRef", "The role that a binding gives.", () => ({
  apiGroup: field(1, text, "Group of the role."),
  kind: required(2, text, "Role or ClusterRole."),
  name: required(3, text, "Name of the role."),
}));
export type RoleRef = z.infer<typeof RoleRef>;

export const Subject = atomicObject("io.k8s.api.rbac.v1.Subject", "Somebody who is given a role.", () => ({
  kind: required(1, text, "User, Group or ServiceAccount."),
  apiGroup: field(2, text, "Group of the kind."),
  name: required(3, text, "Name of the subject."),
  namespace: field(4, text, "Namespace of a ServiceAccount."),
}));
export type Subject = z.infer<typeof Subject>;

export const RoleBinding = kind("io.k8s.api.rbac.v1.RoleBinding", "Gives a role to somebody in one namespace.", () => ({
  metadata: always(1, ObjectMeta),
  subjects: field(2, atomicList(Subject), "Who is given the role."),
  roleRef: required(3, RoleRef, "Which role; never changes."),
}));
export type RoleBinding = z.infer<typeof RoleBinding>;

export const ClusterRoleBinding = kind(
  "io.k8s.api.rbac.v1.ClusterRoleBinding",
  "Gives a role to somebody in the whole cluster.",
  () => ({
    metadata: always(1, ObjectMeta),
    subjects: field(2, atomicList(Subject), "Who is given the role."),
    roleRef: required(3, RoleRef, "Which role; never changes."),
  }),
);
export type ClusterRoleBinding = z.infer<typeof ClusterRoleBinding>;
