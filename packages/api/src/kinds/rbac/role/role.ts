import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";

export const PolicyRule = object(
  "io.k8s.api.rbac.v1.PolicyRule",
  "A rule allows verbs on resources or on paths; it names no subjects.",
  () => ({
    verbs: required(
      1,
      atomicList(text),
      "The rule allows these verbs, such as get, list, watch, create, update, patch and delete; * means all verbs.",
    ),
    apiGroups: field(
      2,
      atomicList(text),
      'The rule applies to resources of these API groups; "" means the core group and * all groups.',
    ),
    resources: field(3, atomicList(text), "The rule applies to these resources; * means all resources of the groups."),
    resourceNames: field(
      4,
      atomicList(text),
      "The rule applies only to objects with these names; an empty list means all objects.",
    ),
    nonResourceURLs: field(
      5,
      atomicList(text),
      "The rule applies to these URL paths, in a ClusterRole only; * may stand as the full last step of a path.",
    ),
  }),
);
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Role = kind("io.k8s.api.rbac.v1.Role", "A Role is a set of permissions within one namespace.", () => ({
  metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
  rules: field(2, atomicList(PolicyRule), "The role grants the permissions of all of these rules."),
}));
export type Role = z.infer<typeof Role>;

export const AggregationRule = object(
  "io.k8s.api.rbac.v1.AggregationRule",
  "The rule selects the ClusterRoles whose rules make up this one.",
  () => ({
    clusterRoleSelectors: field(
      1,
      atomicList(LabelSelector),
      "The rules of ClusterRoles that match at least one of these selectors are combined.",
    ),
  }),
);
export type AggregationRule = z.infer<typeof AggregationRule>;

export const ClusterRole = kind(
  "io.k8s.api.rbac.v1.ClusterRole",
  "A ClusterRole is a set of permissions in the whole cluster, or in the namespace of a RoleBinding that refers to it.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    rules: field(2, atomicList(PolicyRule), "The role grants the permissions of all of these rules."),
    aggregationRule: field(
      3,
      AggregationRule,
      "A controller fills in the rules from the ClusterRoles that match; changes of rules by hand are overwritten.",
    ),
  }),
);
export type ClusterRole = z.infer<typeof ClusterRole>;
