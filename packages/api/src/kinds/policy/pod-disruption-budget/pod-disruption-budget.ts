import type { z } from "zod";
import { Condition } from "../../../meta/condition.ts";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { int32, int64, intOrString, keyedList, map, oneOf, replaced, time } from "../../../schema/types.ts";

export const PodDisruptionBudgetSpec = object(
  "io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
  "How many pods have to stay up.",
  () => ({
    minAvailable: field(1, intOrString, "How many pods, or what share of them, have to stay."),
    selector: field(2, replaced(LabelSelector), "Which pods it is about."),
    maxUnavailable: field(3, intOrString, "How many pods, or what share of them, may be gone."),
    unhealthyPodEvictionPolicy: field(
      4,
      oneOf("IfHealthyBudget", "AlwaysAllow"),
      "Whether pods that are not ready may always be evicted.",
    ),
  }),
);
export type PodDisruptionBudgetSpec = z.infer<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = object(
  "io.k8s.api.policy.v1.PodDisruptionBudgetStatus",
  "How many pods could go now.",
  () => ({
    observedGeneration: field(1, int64, "Which generation this is about."),
    disruptedPods: field(2, map(time), "Pods whose eviction is under way."),
    disruptionsAllowed: field(3, int32, "How many may go now."),
    currentHealthy: field(4, int32, "How many are well."),
    desiredHealthy: field(5, int32, "How many have to be well."),
    expectedPods: field(6, int32, "How many are counted."),
    conditions: field(7, keyedList(Condition, ["type"]), "How it is, aspect by aspect."),
  }),
);
export type PodDisruptionBudgetStatus = z.infer<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = kind(
  "io.k8s.api.policy.v1.PodDisruptionBudget",
  "How many pods of a group may be taken down on purpose at once.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: field(2, PodDisruptionBudgetSpec, "How many pods have to stay up."),
    status: field(3, PodDisruptionBudgetStatus, "How many could go now."),
  }),
);
export type PodDisruptionBudget = z.infer<typeof PodDisruptionBudget>;
