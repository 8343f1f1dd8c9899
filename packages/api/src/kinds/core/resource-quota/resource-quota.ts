import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, map, quantity, text } from "../../../schema/types.ts";

export const ScopedResourceSelectorRequirement = object(
  "io.k8s.api.core.v1.ScopedResourceSelectorRequirement",
  "A requirement compares the value of a scope with a list of values.",
  () => ({
    scopeName: required(
      1,
      text,
      "The scope is Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass, CrossNamespacePodAffinity or VolumeAttributesClass.",
    ),
    operator: required(2, text, "The operator is In, NotIn, Exists or DoesNotExist."),
    values: field(
      3,
      atomicList(text),
      "The operators In and NotIn need at least one value; Exists and DoesNotExist allow none.",
    ),
  }),
);
export type ScopedResourceSelectorRequirement = z.infer<typeof ScopedResourceSelectorRequirement>;

export const ScopeSelector = atomicObject(
  "io.k8s.api.core.v1.ScopeSelector",
  "The selector matches objects that meet all of its requirements.",
  () => ({
    matchExpressions: field(
      1,
      atomicList(ScopedResourceSelectorRequirement),
      "An object matches if it meets every requirement of this list.",
    ),
  }),
);

export const ResourceQuotaSpec = object(
  "io.k8s.api.core.v1.ResourceQuotaSpec",
  "The spec states the limits, and the objects that count towards them.",
  () => ({
    hard: field(
      1,
      map(quantity),
      "All objects of the namespace together may use at most these amounts, such as pods, requests.cpu or count/deployments.apps.",
    ),
    scopes: field(
      2,
      atomicList(text),
      "Only objects that match every scope of this list count; without the list, all objects count.",
    ),
    scopeSelector: field(
      3,
      ScopeSelector,
      "Only objects that match this selector, and the scopes, count towards the limits.",
    ),
  }),
);
export type ResourceQuotaSpec = z.infer<typeof ResourceQuotaSpec>;

export const ResourceQuotaStatus = object(
  "io.k8s.api.core.v1.ResourceQuotaStatus",
  "The status reports the limits and the amounts in use.",
  () => ({
    hard: field(1, map(quantity), "The controller counted for these limits."),
    used: field(2, map(quantity), "The objects of the namespace use these amounts now."),
  }),
);
export type ResourceQuotaStatus = z.infer<typeof ResourceQuotaStatus>;

export const ResourceQuota = kind(
  "io.k8s.api.core.v1.ResourceQuota",
  "A ResourceQuota limits how much all objects of its namespace use together.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, ResourceQuotaSpec, "The spec states the limits."),
    status: field(3, ResourceQuotaStatus, "The status reports the limits and the amounts in use."),
  }),
);
export type ResourceQuota = z.infer<typeof ResourceQuota>;
