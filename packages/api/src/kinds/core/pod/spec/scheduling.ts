import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, int64, oneOf, text } from "../../../../schema/types.ts";
import { taintEffect } from "../../../../schema/words.ts";

export const Toleration = object(
  "io.k8s.api.core.v1.Toleration",
  "A toleration lets a pod run on nodes with the taints that it matches.",
  () => ({
    key: field(
      1,
      text,
      "The toleration matches taints with this key; an empty key with the operator Exists matches all taints.",
    ),
    operator: field(
      2,
      oneOf("Exists", "Equal"),
      "Equal, the default, compares the values of toleration and taint; Exists ignores the value.",
    ),
    value: field(3, text, "The taint must have this value if the operator is Equal; it must be empty for Exists."),
    effect: field(
      4,
      taintEffect,
      "The toleration matches taints with this effect; an empty value matches all effects.",
    ),
    tolerationSeconds: field(
      5,
      int64,
      "The pod tolerates a NoExecute taint for this many seconds before it is evicted; an unset value means forever.",
    ),
  }),
);
export type Toleration = z.infer<typeof Toleration>;

export const TopologySpreadConstraint = object(
  "io.k8s.api.core.v1.TopologySpreadConstraint",
  "A constraint spreads matching pods evenly over the topologies of the cluster, such as zones.",
  () => ({
    maxSkew: required(
      1,
      int32,
      "The number of matching pods in two topologies may differ by at most this much, which must be above 0.",
    ),
    topologyKey: required(2, text, "Nodes with the same value of this label belong to the same topology."),
    whenUnsatisfiable: required(
      3,
      oneOf("DoNotSchedule", "ScheduleAnyway"),
      "DoNotSchedule, the default, leaves the pod unscheduled if the constraint cannot hold; ScheduleAnyway places it where the skew is least.",
    ),
    labelSelector: field(4, LabelSelector, "The constraint counts the pods that match this selector."),
    minDomains: field(
      5,
      int32,
      "The least count of matching pods is taken as 0 while fewer than this many topologies are eligible; the default is 1.",
    ),
    nodeAffinityPolicy: field(
      6,
      oneOf("Honor", "Ignore"),
      "Honor, the default, counts only nodes that match the pod's nodeAffinity and nodeSelector; Ignore counts all nodes.",
    ),
    nodeTaintsPolicy: field(
      7,
      oneOf("Honor", "Ignore"),
      "Honor counts only nodes without taints or with taints that the pod tolerates; Ignore, the default, counts all nodes.",
    ),
    matchLabelKeys: field(
      8,
      atomicList(text),
      "The values of these labels are taken from the incoming pod and added to labelSelector.",
    ),
  }),
);
export type TopologySpreadConstraint = z.infer<typeof TopologySpreadConstraint>;

export const PodSchedulingGate = object(
  "io.k8s.api.core.v1.PodSchedulingGate",
  "A scheduling gate keeps a pod from being scheduled until a controller removes the gate.",
  () => ({
    name: required(1, text, "The gate has this name, which must be unique in the pod."),
  }),
);
export type PodSchedulingGate = z.infer<typeof PodSchedulingGate>;

export const PodSchedulingGroup = object(
  "io.k8s.api.core.v1.PodSchedulingGroup",
  "The group links a pod to the pods that are scheduled with it.",
  () => ({
    podGroupName: field(undefined, text, "The pod belongs to the PodGroup with this name."),
  }),
);
export type PodSchedulingGroup = z.infer<typeof PodSchedulingGroup>;

export const PodResourceClaim = object(
  "io.k8s.api.core.v1.PodResourceClaim",
  "The entry refers to a resource claim directly or through a template; exactly one of the two must be set.",
  () => ({
    name: required(
      1,
      text,
      "Containers refer to the claim by this name, which must be a DNS label that is unique in the pod.",
    ),
    resourceClaimName: field(3, text, "The pod uses the existing ResourceClaim with this name."),
    resourceClaimTemplateName: field(
      4,
      text,
      "A ResourceClaim is created for the pod from the template with this name, and deleted with the pod.",
    ),
  }),
);
export type PodResourceClaim = z.infer<typeof PodResourceClaim>;
