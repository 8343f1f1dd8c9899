import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";

export const PolicyRule = object(
  "io.k8s.api.rbac.v1.PolicyRule",
  "PolicyRule allows verbs on resources or on paths.",
  () => ({
    verbs: required(
      1,
      atomicList(text),
      "Allowed verbs, such as get, list, watch, create, update, patch and delete, or * for all verbs.",
    ),
    apiGroups: field(
      2,
      atomicList(text),
      'API groups of the resources. "" means the core group, and * means all groups.',
    ),
    resources: field(3, atomicList(text), "Resources that the rule applies to, or * for all resources of the groups."),
    resourceNames: field(
      4,
      atomicList(text),
      "Names of the objects that the rule applies to. An empty list means all objects.",
    ),
    nonResourceURLs: field(
      5,
      atomicList(text),
      "URL paths that the rule applies to. Allowed only in a ClusterRole. The last segment of a path may be *.",
    ),
  }),
);
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Role = kind("io.k8s.api.rbac.v1.Role", "A Role is a set of permissions within one namespace.", () => ({
  metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
  rules: field(2, atomicList(PolicyRule), "Rules of the role. A role grants the permissions of all its rules."),
}));
export type Role = z.infer<typeof Role>;

export const AggregationRule = object(
  "io.k8s.api.rbac.v1.AggregationRule",
  "AggregationRule selects the ClusterRoles whose rules are combined into this role.",
  () => ({
    clusterRoleSelectors: field(
      1,
      atomicList(LabelSelector),
      "Label selectors of the ClusterRoles. A ClusterRole must match at least one selector.",
    ),
  }),
);
export type AggregationRule = z.infer<typeof AggregationRule>;

export const ClusterRole = kind(
  "io.k8s.api.rbac.v1.ClusterRole",
  "A ClusterRole is a set of permissions in the whole cluster, or in the namespace of a RoleBinding that refers to the ClusterRole.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    rules: field(2, atomicList(PolicyRule), "Rules of the role. A role grants the permissions of all its rules."),
    aggregationRule: field(
      3,
      AggregationRule,
      "Selection of ClusterRoles whose rules a controller combines into this role. The controller overwrites manual changes to the rules.",
    ),
  }),
);
export type ClusterRole = z.infer<typeof ClusterRole>;
