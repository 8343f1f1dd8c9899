import type { z } from "zod";
import { FieldSelectorRequirement, LabelSelectorRequirement } from "../../meta/label-selector-type.ts";
import { field, object } from "../../schema/fields.ts";
import { atomicList, text } from "../../schema/types.ts";

export const NonResourceAttributes = object(
  "io.k8s.api.authorization.v1.NonResourceAttributes",
  "Attributes of a request for a path that is not a resource of the API.",
  () => ({
    path: field(1, text, "URL path of the request."),
    verb: field(2, text, "HTTP verb of the request in lower case, such as get or post."),
  }),
);
export type NonResourceAttributes = z.infer<typeof NonResourceAttributes>;

export const FieldSelectorAttributes = object(
  "io.k8s.api.authorization.v1.FieldSelectorAttributes",
  "Field selector of a request. The fields rawSelector and requirements cannot be combined.",
  () => ({
    rawSelector: field(1, text, "Selector in the text form of a query parameter."),
    requirements: field(
      2,
      atomicList(FieldSelectorRequirement),
      "Parsed requirements of the selector. All requirements must hold.",
    ),
  }),
);
export type FieldSelectorAttributes = z.infer<typeof FieldSelectorAttributes>;

export const LabelSelectorAttributes = object(
  "io.k8s.api.authorization.v1.LabelSelectorAttributes",
  "Label selector of a request. The fields rawSelector and requirements cannot be combined.",
  () => ({
    rawSelector: field(1, text, "Selector in the text form of a query parameter."),
    requirements: field(
      2,
      atomicList(LabelSelectorRequirement),
      "Parsed requirements of the selector. All requirements must hold.",
    ),
  }),
);
export type LabelSelectorAttributes = z.infer<typeof LabelSelectorAttributes>;

export const ResourceAttributes = object(
  "io.k8s.api.authorization.v1.ResourceAttributes",
  "Attributes of a request for a resource of the API.",
  () => ({
    namespace: field(
      1,
      text,
      "Namespace of the request. An empty value means all namespaces, or a cluster-scoped resource.",
    ),
    verb: field(
      2,
      text,
      "Verb of the request: get, list, watch, create, update, patch, delete, deletecollection, proxy or * for all.",
    ),
    group: field(3, text, "API group of the resource, or * for all groups."),
    version: field(4, text, "API version of the resource, or * for all versions."),
    resource: field(5, text, "Plural name of the resource, such as pods, or * for all resources."),
    subresource: field(
      6,
      text,
      "Subresource of the request, such as status. An empty value means the resource itself.",
    ),
    name: field(7, text, "Name of the object. An empty value means all objects."),
    fieldSelector: field(8, FieldSelectorAttributes, "Field selector that limits the request."),
    labelSelector: field(9, LabelSelectorAttributes, "Label selector that limits the request."),
  }),
);
export type ResourceAttributes = z.infer<typeof ResourceAttributes>;
