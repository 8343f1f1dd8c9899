import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { atomicList, map, oneOf, text } from "../schema/types.ts";

export const LabelSelectorRequirement = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
  "LabelSelectorRequirement compares a label with values.",
  () => ({
    key: required(1, text, "Key of the label."),
    operator: required(
      2,
      oneOf("In", "NotIn", "Exists", "DoesNotExist"),
      "Operator of the comparison: In, NotIn, Exists or DoesNotExist.",
    ),
    values: field(
      3,
      atomicList(text),
      "Values of the comparison. In and NotIn require at least one value, Exists and DoesNotExist do not allow values.",
    ),
  }),
);
export type LabelSelectorRequirement = z.infer<typeof LabelSelectorRequirement>;

export const LabelSelector = atomicObject(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
  "LabelSelector matches objects by their labels. All requirements must hold. An empty selector matches all objects, and an unset selector does not match any object.",
  () => ({
    matchLabels: field(1, map(text), "Labels, with their values, that the object must have."),
    matchExpressions: field(
      2,
      atomicList(LabelSelectorRequirement),
      "Requirements for the labels of the object. All requirements must hold.",
    ),
  }),
);
export type LabelSelector = z.infer<typeof LabelSelector>;

export const FieldSelectorRequirement = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement",
  "FieldSelectorRequirement compares a field with values.",
  () => ({
    key: required(1, text, "Path of the field."),
    operator: required(
      2,
      oneOf("In", "NotIn", "Exists", "DoesNotExist"),
      "Operator of the comparison: In, NotIn, Exists or DoesNotExist.",
    ),
    values: field(
      3,
      atomicList(text),
      "Values of the comparison. In and NotIn require at least one value, Exists and DoesNotExist do not allow values.",
    ),
  }),
);
export type FieldSelectorRequirement = z.infer<typeof FieldSelectorRequirement>;
