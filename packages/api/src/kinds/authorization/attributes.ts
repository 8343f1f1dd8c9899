import type { z } from "zod";
import { FieldSelectorRequirement, LabelSelectorRequirement } from "../../meta/label-selector-type.ts";
import { field, object } from "../../schema/fields.ts";
import { atomicList, text } from "../../schema/types.ts";

export const NonResourceAttributes = object(
  "io.k8s.api.authorization.v1.NonResourceAttributes",
  "A path that is asked about.",
  () => ({
    path: field(1, text),
    verb: field(2, text),
  }),
);
export type NonResourceAttributes = z.infer<typeof NonResourceAttributes>;

export const FieldSelectorAttributes = object(
  "io.k8s.api.authorization.v1.FieldSelectorAttributes",
  "The field selector of a request that is asked about.",
  () => ({
    rawSelector: field(1, text),
    requirements: field(2, atomicList(FieldSelectorRequirement)),
  }),
);
export type FieldSelectorAttributes = z.infer<typeof FieldSelectorAttributes>;

export const LabelSelectorAttributes = object(
  "io.k8s.api.authorization.v1.LabelSelectorAttributes",
  "The label selector of a request that is asked about.",
  () => ({
    rawSelector: field(1, text),
    requirements: field(2, atomicList(LabelSelectorRequirement)),
  }),
);
export type LabelSelectorAttributes = z.infer<typeof LabelSelectorAttributes>;

export const ResourceAttributes = object(
  "io.k8s.api.authorization.v1.ResourceAttributes",
  "A request for a resource that is asked about.",
  () => ({
    namespace: field(1, text, "In which namespace."),
    verb: field(2, text, "To do what."),
    group: field(3, text, "In which group."),
    version: field(4, text, "In which version."),
    resource: field(5, text, "With which resource."),
    subresource: field(6, text, "With which part of it."),
    name: field(7, text, "With which object."),
    fieldSelector: field(8, FieldSelectorAttributes),
    labelSelector: field(9, LabelSelectorAttributes),
  }),
);
export type ResourceAttributes = z.infer<typeof ResourceAttributes>;
