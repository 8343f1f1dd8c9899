import type { z } from "zod";
import { field, object, required, requiredNullable } from "../schema/fields.ts";
import { int64, text, time } from "../schema/types.ts";
import { conditionStatus } from "../schema/words.ts";

export const Condition = object(
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
  "A condition describes one aspect of an object's state.",
  () => ({
    type: required(1, text, "The type names the aspect in CamelCase."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    observedGeneration: field(
      3,
      int64,
      "The condition was set for this generation of the object; it is out of date if it is below metadata.generation.",
    ),
    lastTransitionTime: requiredNullable(4, time, "The status of the condition last changed at this time."),
    reason: required(5, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: required(6, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type Condition = z.infer<typeof Condition>;
