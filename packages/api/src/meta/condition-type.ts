import type { z } from "zod";
import { field, object, required, requiredNullable } from "../schema/fields.ts";
import { int64, text, time } from "../schema/types.ts";
import { conditionStatus } from "../schema/words.ts";

export const Condition = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
  "Condition describes one aspect of an object's state.",
  () => ({
    type: required(1, text, "Type of the condition, in CamelCase."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    observedGeneration: field(
      3,
      int64,
      "Generation of the object that the condition describes. If the value is less than metadata.generation, the condition is out of date.",
    ),
    lastTransitionTime: requiredNullable(4, time, "Time at which the condition's status last changed."),
    reason: required(5, text, "Reason for the condition's last transition, one CamelCase word."),
    message: required(6, text, "Human-readable details of the condition's last transition."),
  }),
);
export type Condition = z.infer<typeof Condition>;
