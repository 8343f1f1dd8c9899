import type { z } from "zod";
import { Condition } from "../../meta/condition.ts";
import { LabelSelector } from "../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object } from "../../schema/fields.ts";
import { int32, int64, intOrString, keyedList, map, oneOf, replaced, time } from "../../schema/types.ts";

export const PodDisruptionBudgetSpec = object("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", {
  minAvailable: field(1, intOrString),
  selector: field(2, replaced(LabelSelector)),
  maxUnavailable: field(3, intOrString),
  unhealthyPodEvictionPolicy: field(4, oneOf("IfHealthyBudget", "AlwaysAllow")),
});
export type PodDisruptionBudgetSpec = z.infer<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = object("io.k8s.api.policy.v1.PodDisruptionBudgetStatus", {
  observedGeneration: field(1, int64),
  disruptedPods: field(2, map(time)),
  disruptionsAllowed: field(3, int32),
  currentHealthy: field(4, int32),
  desiredHealthy: field(5, int32),
  expectedPods: field(6, int32),
  conditions: field(7, keyedList(Condition, ["type"])),
});
export type PodDisruptionBudgetStatus = z.infer<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = kind("io.k8s.api.policy.v1.PodDisruptionBudget", {
  metadata: always(1, ObjectMeta),
  spec: field(2, PodDisruptionBudgetSpec),
  status: field(3, PodDisruptionBudgetStatus),
});
export type PodDisruptionBudget = z.infer<typeof PodDisruptionBudget>;
