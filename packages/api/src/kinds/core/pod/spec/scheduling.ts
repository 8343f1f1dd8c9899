import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, int64, oneOf, text } from "../../../../schema/types.ts";
import { taintEffect } from "../../../../schema/words.ts";

export const Toleration = object(
  "io.k8s.api.core.v1.Toleration",
  "Toleration lets a pod run on nodes with matching taints.",
  () => ({
    key: field(
      1,
      text,
      "Key of the taints that the toleration matches. An empty key with the operator Exists matches all taints.",
    ),
    operator: field(
      2,
      oneOf("Exists", "Equal"),
      "Operator of the comparison: Equal compares the values of toleration and taint, Exists ignores the value. Defaults to Equal.",
    ),
    value: field(3, text, "Value of the taint for the operator Equal. Must be empty for Exists."),
    effect: field(
      4,
      taintEffect,
      "Effect of the taints that the toleration matches: NoSchedule, PreferNoSchedule or NoExecute. An empty value matches all effects.",
    ),
    tolerationSeconds: field(
      5,
      int64,
      "Time for which the pod tolerates a NoExecute taint before it is evicted, in seconds. If unset, the pod is not evicted.",
    ),
  }),
);
export type Toleration = z.infer<typeof Toleration>;

export const TopologySpreadConstraint = object(
  "io.k8s.api.core.v1.TopologySpreadConstraint",
  "TopologySpreadConstraint spreads matching pods evenly over the topologies of the cluster, such as zones.",
  () => ({
    maxSkew: required(
      1,
      int32,
      "Maximum difference in the number of matching pods between two topologies. Must be greater than 0.",
    ),
    topologyKey: required(
      2,
      text,
      "Key of a node label. Nodes whose label has the same value belong to the same topology.",
    ),
    whenUnsatisfiable: required(
      3,
      oneOf("DoNotSchedule", "ScheduleAnyway"),
      "Handling of a pod that cannot meet the constraint: DoNotSchedule leaves the pod unscheduled, ScheduleAnyway prefers nodes that reduce the skew. Defaults to DoNotSchedule.",
    ),
    labelSelector: field(4, LabelSelector, "Label selector of the pods that the constraint counts."),
    minDomains: field(
      5,
      int32,
      "Minimum number of eligible topologies. If fewer topologies are eligible, the smallest number of matching pods in a topology counts as 0. Defaults to 1.",
    ),
    nodeAffinityPolicy: field(
      6,
      oneOf("Honor", "Ignore"),
      "Handling of the pod's nodeAffinity and nodeSelector: Honor counts only matching nodes, Ignore counts all nodes. Defaults to Honor.",
    ),
    nodeTaintsPolicy: field(
      7,
      oneOf("Honor", "Ignore"),
      "Handling of taints: Honor counts only nodes whose taints the pod tolerates, Ignore counts all nodes. Defaults to Ignore.",
    ),
    matchLabelKeys: field(
      8,
      atomicList(text),
      "Keys of labels. The values of these labels are taken from the incoming pod and added to labelSelector.",
    ),
  }),
);
export type TopologySpreadConstraint = z.infer<typeof TopologySpreadConstraint>;

export const PodSchedulingGate = object(
  "io.k8s.api.core.v1.PodSchedulingGate",
  "PodSchedulingGate blocks the scheduling of a pod until the gate is removed.",
  () => ({
    name: required(1, text, "Name of the gate, unique in the pod."),
  }),
);
export type PodSchedulingGate = z.infer<typeof PodSchedulingGate>;

export const PodSchedulingGroup = object(
  "io.k8s.api.core.v1.PodSchedulingGroup",
  "PodSchedulingGroup identifies the group of pods with which a pod is scheduled.",
  () => ({
    podGroupName: field(undefined, text, "Name of the pod's PodGroup."),
  }),
);
export type PodSchedulingGroup = z.infer<typeof PodSchedulingGroup>;

export const PodResourceClaim = object(
  "io.k8s.api.core.v1.PodResourceClaim",
  "PodResourceClaim refers to a resource claim directly or through a template. Exactly one of resourceClaimName and resourceClaimTemplateName must be set.",
  () => ({
    name: required(
      1,
      text,
      "Name of the entry, a DNS label that is unique in the pod. Containers refer to the claim by this name.",
    ),
    resourceClaimName: field(3, text, "Name of an existing ResourceClaim."),
    resourceClaimTemplateName: field(
      4,
      text,
      "Name of a ResourceClaimTemplate from which a ResourceClaim is created for the pod. The claim is deleted with the pod.",
    ),
  }),
);
export type PodResourceClaim = z.infer<typeof PodResourceClaim>;
