import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, int64, oneOf, text } from "../../../../schema/types.ts";
import { taintEffect } from "../../../../schema/words.ts";

export const Toleration = object(
  "io.k8s.api.core.v1.Toleration",
  "A taint that a pod can live with, perhaps for some time only.",
  () => ({
    key: field(1, text, "The taint's key; empty for every taint."),
    operator: field(2, oneOf("Exists", "Equal"), "Exists or Equal."),
    value: field(3, text, "The taint's value, for Equal."),
    effect: field(4, taintEffect, "The taint's effect; empty for every effect."),
    tolerationSeconds: field(5, int64, "How long a NoExecute taint is tolerated; for ever when unset."),
  }),
);
export type Toleration = z.infer<typeof Toleration>;

export const TopologySpreadConstraint = object(
  "io.k8s.api.core.v1.TopologySpreadConstraint",
  "How evenly pods are to be spread over zones, nodes or other parts of the cluster.",
  () => ({
    maxSkew: required(1, int32, "By how many pods two parts may differ."),
    topologyKey: required(2, text, "The label of nodes that tells the parts apart."),
    whenUnsatisfiable: required(3, oneOf("DoNotSchedule", "ScheduleAnyway"), "DoNotSchedule or ScheduleAnyway."),
    labelSelector: field(4, LabelSelector, "Which pods are counted."),
    minDomains: field(5, int32, "How many parts there should be."),
    nodeAffinityPolicy: field(6, oneOf("Honor", "Ignore"), "Whether only nodes the pod may run on count."),
    nodeTaintsPolicy: field(7, oneOf("Honor", "Ignore"), "Whether only nodes the pod tolerates count."),
    matchLabelKeys: field(8, atomicList(text), "Labels whose values are taken from the pod."),
  }),
);
export type TopologySpreadConstraint = z.infer<typeof TopologySpreadConstraint>;

export const PodSchedulingGate = object(
  "io.k8s.api.core.v1.PodSchedulingGate",
  "Holds a pod back from being scheduled until somebody removes it.",
  () => ({
    name: required(1, text),
  }),
);
export type PodSchedulingGate = z.infer<typeof PodSchedulingGate>;

export const PodSchedulingGroup = object(
  "io.k8s.api.core.v1.PodSchedulingGroup",
  "The group of pods with which a pod is scheduled.",
  () => ({
    podGroupName: field(undefined, text),
  }),
);
export type PodSchedulingGroup = z.infer<typeof PodSchedulingGroup>;

export const PodResourceClaim = object(
  "io.k8s.api.core.v1.PodResourceClaim",
  "A claim on devices that a pod refers to by a name of its own.",
  () => ({
    name: required(1, text),
    resourceClaimName: field(3, text),
    resourceClaimTemplateName: field(4, text),
  }),
);
export type PodResourceClaim = z.infer<typeof PodResourceClaim>;
