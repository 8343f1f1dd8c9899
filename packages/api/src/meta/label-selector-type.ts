import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { atomicList, map, oneOf, text } from "../schema/types.ts";

export const LabelSelectorRequirement = object("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement", {
  key: required(1, text),
  operator: required(2, oneOf("In", "NotIn", "Exists", "DoesNotExist")),
  values: field(3, atomicList(text)),
});
export type LabelSelectorRequirement = z.infer<typeof LabelSelectorRequirement>;

export const LabelSelector = atomicObject("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", {
  matchLabels: field(1, map(text)),
  matchExpressions: field(2, atomicList(LabelSelectorRequirement)),
});
export type LabelSelector = z.infer<typeof LabelSelector>;

export const FieldSelectorRequirement = object("io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement", {
  key: required(1, text),
  operator: required(2, oneOf("In", "NotIn", "Exists", "DoesNotExist")),
  values: field(3, atomicList(text)),
});
export type FieldSelectorRequirement = z.infer<typeof FieldSelectorRequirement>;
