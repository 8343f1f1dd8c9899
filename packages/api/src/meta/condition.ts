import type { z } from "zod";
import { field, object, required, requiredNullable } from "../schema/fields.ts";
import { int64, text, time } from "../schema/types.ts";
import { conditionStatus } from "../schema/words.ts";

export const Condition = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
  "One aspect of an object's state, as its controller last saw it.",
  () => ({
    type: required(1, text, "Which aspect."),
    status: required(2, conditionStatus, "True, False or Unknown."),
    observedGeneration: field(3, int64, "Which generation of the object was looked at."),
    lastTransitionTime: requiredNullable(4, time, "When the status last changed."),
    reason: required(5, text, "Why, in one word."),
    message: required(6, text, "Why, in a sentence."),
  }),
);
export type Condition = z.infer<typeof Condition>;
