import type { z } from "zod";
import { LabelSelector } from "../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../schema/fields.ts";
import { atomicList, text } from "../../schema/types.ts";

export const PolicyRule = object("io.k8s.api.rbac.v1.PolicyRule", {
  verbs: required(1, atomicList(text)),
  apiGroups: field(2, atomicList(text)),
  resources: field(3, atomicList(text)),
  resourceNames: field(4, atomicList(text)),
  nonResourceURLs: field(5, atomicList(text)),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Role = kind("io.k8s.api.rbac.v1.Role", {
  metadata: always(1, ObjectMeta),
  rules: field(2, atomicList(PolicyRule)),
});
export type Role = z.infer<typeof Role>;

export const AggregationRule = object("io.k8s.api.rbac.v1.AggregationRule", {
  clusterRoleSelectors: field(1, atomicList(LabelSelector)),
});
export type AggregationRule = z.infer<typeof AggregationRule>;

export const ClusterRole = kind("io.k8s.api.rbac.v1.ClusterRole", {
  metadata: always(1, ObjectMeta),
  rules: field(2, atomicList(PolicyRule)),
  aggregationRule: field(3, AggregationRule),
});
export type ClusterRole = z.infer<typeof ClusterRole>;
