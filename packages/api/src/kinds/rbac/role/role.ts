import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";

export const PolicyRule = object("io.k8s.api.rbac.v1.PolicyRule", "What may be done with which resources.", () => ({
  verbs: required(
    1,
    atomicList(text),
    "What may be done: get, list, watch, create, update, patch, delete… or * for all.",
  ),
  apiGroups: field(2, atomicList(text), "In which groups; empty text for the core group."),
  resources: field(3, atomicList(text), "With which resources."),
  resourceNames: field(4, atomicList(text), "With which objects only."),
  nonResourceURLs: field(5, atomicList(text), "With which paths."),
}));
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Role = kind("io.k8s.api.rbac.v1.Role", "What may be done in one namespace.", () => ({
  metadata: always(1, ObjectMeta),
  rules: field(2, atomicList(PolicyRule), "What may be done."),
}));
export type Role = z.infer<typeof Role>;

export const AggregationRule = object("io.k8s.api.rbac.v1.AggregationRule", "Whose rules make up a role.", () => ({
  clusterRoleSelectors: field(1, atomicList(LabelSelector)),
}));
export type AggregationRule = z.infer<typeof AggregationRule>;

export const ClusterRole = kind(
  "io.k8s.api.rbac.v1.ClusterRole",
  "What may be done in the whole cluster, or in whatever namespace it is bound.",
  () => ({
    metadata: always(1, ObjectMeta),
    rules: field(2, atomicList(PolicyRule), "What may be done."),
    aggregationRule: field(3, AggregationRule, "Other roles whose rules make up this one."),
  }),
);
export type ClusterRole = z.infer<typeof ClusterRole>;
