import type { z } from "zod";
import { FieldSelectorRequirement, LabelSelectorRequirement } from "../../meta/label-selector-type.ts";
import { field, object } from "../../schema/fields.ts";
import { atomicList, text } from "../../schema/types.ts";

export const NonResourceAttributes = object("io.k8s.api.authorization.v1.NonResourceAttributes", {
  path: field(1, text),
  verb: field(2, text),
});
export type NonResourceAttributes = z.infer<typeof NonResourceAttributes>;

export const FieldSelectorAttributes = object("io.k8s.api.authorization.v1.FieldSelectorAttributes", {
  rawSelector: field(1, text),
  requirements: field(2, atomicList(FieldSelectorRequirement)),
});
export type FieldSelectorAttributes = z.infer<typeof FieldSelectorAttributes>;

export const LabelSelectorAttributes = object("io.k8s.api.authorization.v1.LabelSelectorAttributes", {
  rawSelector: field(1, text),
  requirements: field(2, atomicList(LabelSelectorRequirement)),
});
export type LabelSelectorAttributes = z.infer<typeof LabelSelectorAttributes>;

export const ResourceAttributes = object("io.k8s.api.authorization.v1.ResourceAttributes", {
  namespace: field(1, text),
  verb: field(2, text),
  group: field(3, text),
  version: field(4, text),
  resource: field(5, text),
  subresource: field(6, text),
  name: field(7, text),
  fieldSelector: field(8, FieldSelectorAttributes),
  labelSelector: field(9, LabelSelectorAttributes),
});
export type ResourceAttributes = z.infer<typeof ResourceAttributes>;
