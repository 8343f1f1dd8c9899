import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { atomicList, map, oneOf, text } from "../schema/types.ts";

export const LabelSelectorRequirement = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
  "A label key, and what its value has to be.",
  () => ({
    key: required(1, text, "The label."),
    operator: required(2, oneOf("In", "NotIn", "Exists", "DoesNotExist"), "In, NotIn, Exists or DoesNotExist."),
    values: field(3, atomicList(text), "The values that In and NotIn speak of."),
  }),
);
export type LabelSelectorRequirement = z.infer<typeof LabelSelectorRequirement>;

export const LabelSelector = atomicObject(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
  "Which objects are meant, by their labels. All requirements have to hold; an empty selector means every object.",
  () => ({
    matchLabels: field(1, map(text), "Labels that have to have exactly these values."),
    matchExpressions: field(2, atomicList(LabelSelectorRequirement), "Further requirements."),
  }),
);
export type LabelSelector = z.infer<typeof LabelSelector>;

export const FieldSelectorRequirement = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement",
  "A field, and what its value has to be.",
  () => ({
    key: required(1, text),
    operator: required(2, oneOf("In", "NotIn", "Exists", "DoesNotExist")),
    values: field(3, atomicList(text)),
  }),
);
export type FieldSelectorRequirement = z.infer<typeof FieldSelectorRequirement>;
