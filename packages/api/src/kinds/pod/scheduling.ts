import type { z } from "zod";
import { LabelSelector } from "../../meta/label-selector-type.ts";
import { field, object, required } from "../../schema/fields.ts";
import { atomicList, int32, int64, oneOf, text } from "../../schema/types.ts";
import { taintEffect } from "../../schema/words.ts";

export const Toleration = object("io.k8s.api.core.v1.Toleration", {
  key: field(1, text),
  operator: field(2, oneOf("Exists", "Equal")),
  value: field(3, text),
  effect: field(4, taintEffect),
  tolerationSeconds: field(5, int64),
});
export type Toleration = z.infer<typeof Toleration>;

export const TopologySpreadConstraint = object("io.k8s.api.core.v1.TopologySpreadConstraint", {
  maxSkew: required(1, int32),
  topologyKey: required(2, text),
  whenUnsatisfiable: required(3, oneOf("DoNotSchedule", "ScheduleAnyway")),
  labelSelector: field(4, LabelSelector),
  minDomains: field(5, int32),
  nodeAffinityPolicy: field(6, oneOf("Honor", "Ignore")),
  nodeTaintsPolicy: field(7, oneOf("Honor", "Ignore")),
  matchLabelKeys: field(8, atomicList(text)),
});
export type TopologySpreadConstraint = z.infer<typeof TopologySpreadConstraint>;

export const PodSchedulingGate = object("io.k8s.api.core.v1.PodSchedulingGate", {
  name: required(1, text),
});
export type PodSchedulingGate = z.infer<typeof PodSchedulingGate>;

export const PodSchedulingGroup = object("io.k8s.api.core.v1.PodSchedulingGroup", {
  podGroupName: field(undefined, text),
});
export type PodSchedulingGroup = z.infer<typeof PodSchedulingGroup>;

export const PodResourceClaim = object("io.k8s.api.core.v1.PodResourceClaim", {
  name: required(1, text),
  resourceClaimName: field(3, text),
  resourceClaimTemplateName: field(4, text),
});
export type PodResourceClaim = z.infer<typeof PodResourceClaim>;
