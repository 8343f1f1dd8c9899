import type { z } from "zod";
import { atomicObject, field, object, required } from "../schema/fields.ts";
import { atomicList, map, oneOf, text } from "../schema/types.ts";

export const LabelSelectorRequirement = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
  "A requirement compares a label with given values.",
  () => ({
    key: required(1, text, "The requirement is about the label with this key."),
    operator: required(
      2,
      oneOf("In", "NotIn", "Exists", "DoesNotExist"),
      "The operator is In, NotIn, Exists or DoesNotExist.",
    ),
    values: field(
      3,
      atomicList(text),
      "The operators In and NotIn need at least one value, Exists and DoesNotExist none.",
    ),
  }),
);
export type LabelSelectorRequirement = z.infer<typeof LabelSelectorRequirement>;

export const LabelSelector = atomicObject(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
  "A label selector matches objects by their labels; all requirements must hold, an empty selector matches all objects, and an unset one matches none.",
  () => ({
    matchLabels: field(1, map(text), "The object must have each of these labels with exactly this value."),
    matchExpressions: field(
      2,
      atomicList(LabelSelectorRequirement),
      "The labels of the object must fulfil each of these requirements.",
    ),
  }),
);
export type LabelSelector = z.infer<typeof LabelSelector>;

export const FieldSelectorRequirement = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement",
  "A requirement compares a field with given values.",
  () => ({
    key: required(1, text, "The requirement is about the field with this path."),
    operator: required(
      2,
      oneOf("In", "NotIn", "Exists", "DoesNotExist"),
      "The operator is In, NotIn, Exists or DoesNotExist.",
    ),
    values: field(
      3,
      atomicList(text),
      "The operators In and NotIn need at least one value, Exists and DoesNotExist none.",
    ),
  }),
);
export type FieldSelectorRequirement = z.infer<typeof FieldSelectorRequirement>;
