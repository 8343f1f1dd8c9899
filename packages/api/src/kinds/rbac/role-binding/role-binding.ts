import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";

export const RoleRef = atomicObject(
  "io.k8s.api.rbac.v1.RoleRef",
  "RoleRef refers to the role that a binding grants.",
  () => ({
    apiGroup: field(1, text, "API group of the role. Must be rbac.authorization.k8s.io."),
    kind: required(2, text, "Kind of the role: Role or ClusterRole."),
    name: required(3, text, "Name of the role."),
  }),
);
export type RoleRef = z.infer<typeof RoleRef>;

export const Subject = atomicObject(
  "io.k8s.api.rbac.v1.Subject",
  "A Subject is a user, a group or a service account.",
  () => ({
    kind: required(1, text, "Kind of the subject: User, Group or ServiceAccount."),
    apiGroup: field(
      2,
      text,
      'API group of the subject: "" for a ServiceAccount, rbac.authorization.k8s.io for a User or Group.',
    ),
    name: required(3, text, "Name of the subject."),
    namespace: field(4, text, "Namespace of the service account. Must be empty for a User or Group."),
  }),
);
export type Subject = z.infer<typeof Subject>;

export const RoleBinding = kind(
  "io.k8s.api.rbac.v1.RoleBinding",
  "A RoleBinding grants the permissions of a role to subjects within one namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    subjects: field(2, atomicList(Subject), "Subjects to which the role is granted."),
    roleRef: required(3, RoleRef, "Role of the namespace, or ClusterRole, that is granted. Immutable."),
  }),
);
export type RoleBinding = z.infer<typeof RoleBinding>;

export const ClusterRoleBinding = kind(
  "io.k8s.api.rbac.v1.ClusterRoleBinding",
  "A ClusterRoleBinding grants the permissions of a ClusterRole to subjects in the whole cluster.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    subjects: field(2, atomicList(Subject), "Subjects to which the role is granted."),
    roleRef: required(3, RoleRef, "ClusterRole that is granted. Immutable."),
  }),
);
export type ClusterRoleBinding = z.infer<typeof ClusterRoleBinding>;
