import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { atomicObject, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, oneOf, text } from "../../../../schema/types.ts";

export const NodeSelectorRequirement = object(
  "io.k8s.api.core.v1.NodeSelectorRequirement",
  "A requirement compares a label or a field of a node with given values.",
  () => ({
    key: required(1, text, "The requirement is about the label or field with this key."),
    operator: required(
      2,
      oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
      "The operator is In, NotIn, Exists, DoesNotExist, Gt or Lt.",
    ),
    values: field(
      3,
      atomicList(text),
      "The operators In and NotIn need at least one value, Exists and DoesNotExist none, Gt and Lt exactly one integer.",
    ),
  }),
);
export type NodeSelectorRequirement = z.infer<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = atomicObject(
  "io.k8s.api.core.v1.NodeSelectorTerm",
  "A term matches a node if all of its requirements hold; an empty term matches no node.",
  () => ({
    matchExpressions: field(
      1,
      atomicList(NodeSelectorRequirement),
      "These requirements are about the labels of the node.",
    ),
    matchFields: field(
      2,
      atomicList(NodeSelectorRequirement),
      "These requirements are about the fields of the node, of which only metadata.name is supported.",
    ),
  }),
);
export type NodeSelectorTerm = z.infer<typeof NodeSelectorTerm>;

export const NodeSelector = atomicObject(
  "io.k8s.api.core.v1.NodeSelector",
  "A node selector matches the nodes that at least one of its terms matches.",
  () => ({
    nodeSelectorTerms: required(1, atomicList(NodeSelectorTerm), "A node must match at least one of these terms."),
  }),
);
export type NodeSelector = z.infer<typeof NodeSelector>;

export const PreferredSchedulingTerm = object(
  "io.k8s.api.core.v1.PreferredSchedulingTerm",
  "The term adds its weight to the score of the nodes that it matches.",
  () => ({
    weight: required(1, int32, "Matching nodes gain this weight, from 1 to 100."),
    preference: required(2, NodeSelectorTerm, "The weight applies to nodes that match this term."),
  }),
);
export type PreferredSchedulingTerm = z.infer<typeof PreferredSchedulingTerm>;

export const NodeAffinity = object(
  "io.k8s.api.core.v1.NodeAffinity",
  "Node affinity limits or ranks the nodes for a pod by their labels.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      NodeSelector,
      "The scheduler places the pod only on nodes that match; later changes of labels do not evict it.",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      atomicList(PreferredSchedulingTerm),
      "The scheduler prefers nodes with the largest sum of the weights of the terms that they match.",
    ),
  }),
);
export type NodeAffinity = z.infer<typeof NodeAffinity>;

export const PodAffinityTerm = object(
  "io.k8s.api.core.v1.PodAffinityTerm",
  "The term selects pods, and a topology key that decides which nodes count as the same place.",
  () => ({
    labelSelector: field(
      1,
      LabelSelector,
      "The term is about the pods that match this selector; an unset selector matches no pod.",
    ),
    namespaces: field(
      2,
      atomicList(text),
      "The pods are looked up in these namespaces, together with those of namespaceSelector; the default is the pod's own namespace.",
    ),
    topologyKey: required(
      3,
      text,
      "Nodes with the same value of this label count as the same place; it must not be empty.",
    ),
    namespaceSelector: field(
      4,
      LabelSelector,
      "The pods are also looked up in the namespaces with matching labels; an empty selector matches all namespaces.",
    ),
    matchLabelKeys: field(
      5,
      atomicList(text),
      "The values of these labels are taken from the incoming pod and added to labelSelector with In.",
    ),
    mismatchLabelKeys: field(
      6,
      atomicList(text),
      "The values of these labels are taken from the incoming pod and added to labelSelector with NotIn.",
    ),
  }),
);
export type PodAffinityTerm = z.infer<typeof PodAffinityTerm>;

export const WeightedPodAffinityTerm = object(
  "io.k8s.api.core.v1.WeightedPodAffinityTerm",
  "The term adds its weight to the score of the places that it matches.",
  () => ({
    weight: required(1, int32, "Matching nodes gain this weight, from 1 to 100."),
    podAffinityTerm: required(2, PodAffinityTerm, "The weight applies to nodes that match this term."),
  }),
);
export type WeightedPodAffinityTerm = z.infer<typeof WeightedPodAffinityTerm>;

export const PodAffinity = object(
  "io.k8s.api.core.v1.PodAffinity",
  "Pod affinity places a pod in the same zone, node or other topology as certain pods.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      atomicList(PodAffinityTerm),
      "The scheduler places the pod only where all of these terms match; later changes of labels do not evict it.",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      atomicList(WeightedPodAffinityTerm),
      "The scheduler prefers nodes with the largest sum of the weights of the terms that they match.",
    ),
  }),
);
export type PodAffinity = z.infer<typeof PodAffinity>;

export const PodAntiAffinity = object(
  "io.k8s.api.core.v1.PodAntiAffinity",
  "Pod anti-affinity keeps a pod away from the zone, node or other topology of certain pods.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      atomicList(PodAffinityTerm),
      "The scheduler places the pod only where none of these terms matches; later changes of labels do not evict it.",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      atomicList(WeightedPodAffinityTerm),
      "The scheduler avoids nodes with a large sum of the weights of the terms that they match.",
    ),
  }),
);
export type PodAntiAffinity = z.infer<typeof PodAntiAffinity>;

export const Affinity = object(
  "io.k8s.api.core.v1.Affinity",
  "Affinity groups the scheduling constraints of a pod.",
  () => ({
    nodeAffinity: field(1, NodeAffinity, "These rules choose nodes by their labels."),
    podAffinity: field(2, PodAffinity, "These rules place the pod near certain other pods."),
    podAntiAffinity: field(3, PodAntiAffinity, "These rules keep the pod away from certain other pods."),
  }),
);
export type Affinity = z.infer<typeof Affinity>;
