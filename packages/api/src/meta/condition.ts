import type { z } from "zod";
import { field, object, required, requiredNullable } from "../schema/fields.ts";
import { int64, text, time } from "../schema/types.ts";
import { conditionStatus } from "../schema/words.ts";

export const Condition = object("io.k8s.apimachinery.pkg.apis.meta.v1.Condition", {
  type: required(1, text),
  status: required(2, conditionStatus),
  observedGeneration: field(3, int64),
  lastTransitionTime: requiredNullable(4, time),
  reason: required(5, text),
  message: required(6, text),
});
export type Condition = z.infer<typeof Condition>;
