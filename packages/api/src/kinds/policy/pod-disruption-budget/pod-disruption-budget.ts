import type { z } from "zod";
import { Condition } from "../../../meta/condition-type.ts";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { int32, int64, intOrString, keyedList, map, oneOf, replaced, time } from "../../../schema/types.ts";

export const PodDisruptionBudgetSpec = object(
  "io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
  "Pods of a budget and the number of pods that may be unavailable. The fields minAvailable and maxUnavailable cannot be combined.",
  () => ({
    minAvailable: field(
      1,
      intOrString,
      "Minimum number of selected pods that must be available after an eviction, as a number or a percentage.",
    ),
    selector: field(
      2,
      replaced(LabelSelector),
      "Label selector of the pods that the budget applies to. An empty selector matches all pods of the namespace.",
    ),
    maxUnavailable: field(
      3,
      intOrString,
      "Maximum number of selected pods that may be unavailable after an eviction, as a number or a percentage.",
    ),
    unhealthyPodEvictionPolicy: field(
      4,
      oneOf("IfHealthyBudget", "AlwaysAllow"),
      "Eviction of running pods that are not ready: IfHealthyBudget allows the eviction only if enough other pods are healthy, AlwaysAllow always allows the eviction. Defaults to IfHealthyBudget.",
    ),
  }),
);
export type PodDisruptionBudgetSpec = z.infer<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = object(
  "io.k8s.api.policy.v1.PodDisruptionBudgetStatus",
  "Observed state of a budget.",
  () => ({
    observedGeneration: field(1, int64, "Generation of the object that the status describes."),
    disruptedPods: field(
      2,
      map(time),
      "Pods whose eviction the API server has allowed and whose deletion the controller has not observed yet, each with the time of its eviction.",
    ),
    disruptionsAllowed: field(3, int32, "Number of pods that may currently be evicted."),
    currentHealthy: field(4, int32, "Number of healthy pods among the selected pods."),
    desiredHealthy: field(5, int32, "Minimum number of healthy pods that the budget requires."),
    expectedPods: field(6, int32, "Number of pods that the budget counts."),
    conditions: field(
      7,
      keyedList(Condition, ["type"]),
      "Observed conditions of the budget, such as DisruptionAllowed.",
    ),
  }),
);
export type PodDisruptionBudgetStatus = z.infer<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = kind(
  "io.k8s.api.policy.v1.PodDisruptionBudget",
  "A PodDisruptionBudget limits the number of pods in a group that may be evicted at the same time.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, PodDisruptionBudgetSpec, "Desired state of the budget."),
    status: field(3, PodDisruptionBudgetStatus, "Observed state of the budget."),
  }),
);
export type PodDisruptionBudget = z.infer<typeof PodDisruptionBudget>;
