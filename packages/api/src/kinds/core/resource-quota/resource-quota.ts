import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, map, quantity, text } from "../../../schema/types.ts";

export const ScopedResourceSelectorRequirement = object(
  "io.k8s.api.core.v1.ScopedResourceSelectorRequirement",
  "ScopedResourceSelectorRequirement compares the value of a scope with a list of values.",
  () => ({
    scopeName: required(
      1,
      text,
      "Name of the scope: Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass, CrossNamespacePodAffinity or VolumeAttributesClass.",
    ),
    operator: required(2, text, "Operator of the comparison: In, NotIn, Exists or DoesNotExist."),
    values: field(
      3,
      atomicList(text),
      "Values of the comparison. In and NotIn require at least one value, Exists and DoesNotExist do not allow values.",
    ),
  }),
);
export type ScopedResourceSelectorRequirement = z.infer<typeof ScopedResourceSelectorRequirement>;

export const ScopeSelector = atomicObject(
  "io.k8s.api.core.v1.ScopeSelector",
  "ScopeSelector matches objects that meet all of its requirements.",
  () => ({
    matchExpressions: field(
      1,
      atomicList(ScopedResourceSelectorRequirement),
      "Requirements for an object. All requirements must hold.",
    ),
  }),
);

export const ResourceQuotaSpec = object(
  "io.k8s.api.core.v1.ResourceQuotaSpec",
  "Limits of a quota and the objects that count towards the limits.",
  () => ({
    hard: field(
      1,
      map(quantity),
      "Maximum total amounts for all objects in the namespace, by resource such as pods, requests.cpu or count/deployments.apps.",
    ),
    scopes: field(
      2,
      atomicList(text),
      "Scopes of the quota. An object counts towards the limits only if it matches every scope. If empty, all objects count.",
    ),
    scopeSelector: field(
      3,
      ScopeSelector,
      "Selector that an object must match, in addition to the scopes, to count towards the limits.",
    ),
  }),
);
export type ResourceQuotaSpec = z.infer<typeof ResourceQuotaSpec>;

export const ResourceQuotaStatus = object(
  "io.k8s.api.core.v1.ResourceQuotaStatus",
  "Limits of a quota and the amounts in use.",
  () => ({
    hard: field(1, map(quantity), "Limits from the spec that the controller last applied."),
    used: field(2, map(quantity), "Total amounts that the objects in the namespace use."),
  }),
);
export type ResourceQuotaStatus = z.infer<typeof ResourceQuotaStatus>;

export const ResourceQuota = kind(
  "io.k8s.api.core.v1.ResourceQuota",
  "A ResourceQuota limits the total resources that the objects in its namespace may use.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, ResourceQuotaSpec, "Limits of the quota."),
    status: field(3, ResourceQuotaStatus, "Limits of the quota and the amounts in use."),
  }),
);
export type ResourceQuota = z.infer<typeof ResourceQuota>;
