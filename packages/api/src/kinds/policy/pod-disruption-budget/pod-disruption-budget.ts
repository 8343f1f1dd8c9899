import type { z } from "zod";
import { Condition } from "../../../meta/condition.ts";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { int32, int64, intOrString, keyedList, map, oneOf, replaced, time } from "../../../schema/types.ts";

export const PodDisruptionBudgetSpec = object(
  "io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
  "The spec describes the pods of the budget and how many may be unavailable; minAvailable excludes maxUnavailable.",
  () => ({
    minAvailable: field(
      1,
      intOrString,
      "An eviction is allowed only if at least this many selected pods, a number or a percentage, are available after it.",
    ),
    selector: field(
      2,
      replaced(LabelSelector),
      "The budget applies to the pods that match this selector; an empty selector matches all pods of the namespace.",
    ),
    maxUnavailable: field(
      3,
      intOrString,
      "An eviction is allowed only if at most this many selected pods, a number or a percentage, are unavailable after it.",
    ),
    unhealthyPodEvictionPolicy: field(
      4,
      oneOf("IfHealthyBudget", "AlwaysAllow"),
      "IfHealthyBudget, the default, lets running pods that are not ready be evicted only if the budget holds; AlwaysAllow lets them be evicted at any time.",
    ),
  }),
);
export type PodDisruptionBudgetSpec = z.infer<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = object(
  "io.k8s.api.policy.v1.PodDisruptionBudgetStatus",
  "The status reports how many evictions the budget allows.",
  () => ({
    observedGeneration: field(
      1,
      int64,
      "The controller had seen this generation of the object when it wrote the status.",
    ),
    disruptedPods: field(
      2,
      map(time),
      "The API server allowed the eviction of these pods, whose deletion the controller has not observed yet, at the given times.",
    ),
    disruptionsAllowed: field(3, int32, "This many pods may be evicted now."),
    currentHealthy: field(4, int32, "This many of the selected pods are healthy."),
    desiredHealthy: field(5, int32, "The budget requires at least this many healthy pods."),
    expectedPods: field(6, int32, "The budget counts this many pods."),
    conditions: field(
      7,
      keyedList(Condition, ["type"]),
      "Conditions describe the budget's current state, such as DisruptionAllowed.",
    ),
  }),
);
export type PodDisruptionBudgetStatus = z.infer<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = kind(
  "io.k8s.api.policy.v1.PodDisruptionBudget",
  "A PodDisruptionBudget limits how many pods of a group may be evicted at the same time.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, PodDisruptionBudgetSpec, "The spec describes the desired budget."),
    status: field(3, PodDisruptionBudgetStatus, "The status reports the last observed state of the budget."),
  }),
);
export type PodDisruptionBudget = z.infer<typeof PodDisruptionBudget>;
