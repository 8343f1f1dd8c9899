import type { z } from "zod";
import { FieldSelectorRequirement, LabelSelectorRequirement } from "../../meta/label-selector-type.ts";
import { field, object } from "../../schema/fields.ts";
import { atomicList, text } from "../../schema/types.ts";

export const NonResourceAttributes = object(
  "io.k8s.api.authorization.v1.NonResourceAttributes",
  "The attributes describe a request for a path outside the resources of the API.",
  () => ({
    path: field(1, text, "The request is for this URL path."),
    verb: field(2, text, "The request uses this HTTP verb in lower case, such as get or post."),
  }),
);
export type NonResourceAttributes = z.infer<typeof NonResourceAttributes>;

export const FieldSelectorAttributes = object(
  "io.k8s.api.authorization.v1.FieldSelectorAttributes",
  "The attributes describe the field selector of a request; the server rejects a review that sets both fields.",
  () => ({
    rawSelector: field(1, text, "The selector is given in the form of a query parameter."),
    requirements: field(
      2,
      atomicList(FieldSelectorRequirement),
      "The selector is given as parsed requirements, all of which must hold.",
    ),
  }),
);
export type FieldSelectorAttributes = z.infer<typeof FieldSelectorAttributes>;

export const LabelSelectorAttributes = object(
  "io.k8s.api.authorization.v1.LabelSelectorAttributes",
  "The attributes describe the label selector of a request; the server rejects a review that sets both fields.",
  () => ({
    rawSelector: field(1, text, "The selector is given in the form of a query parameter."),
    requirements: field(
      2,
      atomicList(LabelSelectorRequirement),
      "The selector is given as parsed requirements, all of which must hold.",
    ),
  }),
);
export type LabelSelectorAttributes = z.infer<typeof LabelSelectorAttributes>;

export const ResourceAttributes = object(
  "io.k8s.api.authorization.v1.ResourceAttributes",
  "The attributes describe a request for a resource of the API.",
  () => ({
    namespace: field(
      1,
      text,
      "The request is for this namespace; an empty value means all namespaces, or a resource without namespaces.",
    ),
    verb: field(
      2,
      text,
      "The request uses this verb: get, list, watch, create, update, patch, delete, deletecollection, proxy or * for all.",
    ),
    group: field(3, text, "The resource belongs to this API group; * means all groups."),
    version: field(4, text, "The resource is requested in this API version; * means all versions."),
    resource: field(5, text, "The request is for this resource in the plural, such as pods; * means all resources."),
    subresource: field(
      6,
      text,
      "The request is for this subresource, such as status; an empty value means the resource itself.",
    ),
    name: field(7, text, "The request is for the object with this name; an empty value means all objects."),
    fieldSelector: field(8, FieldSelectorAttributes, "The request is limited by this field selector."),
    labelSelector: field(9, LabelSelectorAttributes, "The request is limited by this label selector."),
  }),
);
export type ResourceAttributes = z.infer<typeof ResourceAttributes>;
