import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";

export const RoleRef = atomicObject(
  "io.k8s.api.rbac.v1.RoleRef",
  "The reference names the role that a binding grants.",
  () => ({
    apiGroup: field(1, text, "The role belongs to this API group, which is rbac.authorization.k8s.io."),
    kind: required(2, text, "The role is of the kind Role or ClusterRole."),
    name: required(3, text, "The role has this name."),
  }),
);
export type RoleRef = z.infer<typeof RoleRef>;

export const Subject = atomicObject(
  "io.k8s.api.rbac.v1.Subject",
  "A Subject is a user, a group or a service account.",
  () => ({
    kind: required(1, text, "The subject is of the kind User, Group or ServiceAccount."),
    apiGroup: field(
      2,
      text,
      'The subject belongs to this API group: "" for a ServiceAccount, rbac.authorization.k8s.io for a User or Group.',
    ),
    name: required(3, text, "The subject has this name."),
    namespace: field(4, text, "The service account is in this namespace; the field must be empty for a User or Group."),
  }),
);
export type Subject = z.infer<typeof Subject>;

export const RoleBinding = kind(
  "io.k8s.api.rbac.v1.RoleBinding",
  "A RoleBinding grants the permissions of a role to subjects within one namespace.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    subjects: field(2, atomicList(Subject), "The binding grants the role to these subjects."),
    roleRef: required(
      3,
      RoleRef,
      "The binding grants this Role of the namespace or this ClusterRole; it cannot be changed.",
    ),
  }),
);
export type RoleBinding = z.infer<typeof RoleBinding>;

export const ClusterRoleBinding = kind(
  "io.k8s.api.rbac.v1.ClusterRoleBinding",
  "A ClusterRoleBinding grants the permissions of a ClusterRole to subjects in the whole cluster.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    subjects: field(2, atomicList(Subject), "The binding grants the role to these subjects."),
    roleRef: required(3, RoleRef, "The binding grants this ClusterRole; it cannot be changed."),
  }),
);
export type ClusterRoleBinding = z.infer<typeof ClusterRoleBinding>;
