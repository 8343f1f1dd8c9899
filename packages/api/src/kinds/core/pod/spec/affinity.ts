import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { atomicObject, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, oneOf, text } from "../../../../schema/types.ts";

export const NodeSelectorRequirement = object(
  "io.k8s.api.core.v1.NodeSelectorRequirement",
  "NodeSelectorRequirement compares a label or field of a node with values.",
  () => ({
    key: required(1, text, "Key of the label or name of the field."),
    operator: required(
      2,
      oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
      "Operator of the comparison: In, NotIn, Exists, DoesNotExist, Gt or Lt.",
    ),
    values: field(
      3,
      atomicList(text),
      "Values of the comparison. In and NotIn require at least one value, Exists and DoesNotExist do not allow values, Gt and Lt require exactly one integer.",
    ),
  }),
);
export type NodeSelectorRequirement = z.infer<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = atomicObject(
  "io.k8s.api.core.v1.NodeSelectorTerm",
  "NodeSelectorTerm matches a node if all of its requirements hold. An empty term does not match any node.",
  () => ({
    matchExpressions: field(1, atomicList(NodeSelectorRequirement), "Requirements for the labels of the node."),
    matchFields: field(
      2,
      atomicList(NodeSelectorRequirement),
      "Requirements for the fields of the node. The only supported field is metadata.name.",
    ),
  }),
);
export type NodeSelectorTerm = z.infer<typeof NodeSelectorTerm>;

export const NodeSelector = atomicObject(
  "io.k8s.api.core.v1.NodeSelector",
  "NodeSelector matches the nodes that match at least one of its terms.",
  () => ({
    nodeSelectorTerms: required(
      1,
      atomicList(NodeSelectorTerm),
      "Alternative terms. A node must match at least one term.",
    ),
  }),
);
export type NodeSelector = z.infer<typeof NodeSelector>;

export const PreferredSchedulingTerm = object(
  "io.k8s.api.core.v1.PreferredSchedulingTerm",
  "PreferredSchedulingTerm adds a weight to the score of matching nodes.",
  () => ({
    weight: required(1, int32, "Weight of the term, from 1 to 100."),
    preference: required(2, NodeSelectorTerm, "Term that the node must match to receive the weight."),
  }),
);
export type PreferredSchedulingTerm = z.infer<typeof PreferredSchedulingTerm>;

export const NodeAffinity = object(
  "io.k8s.api.core.v1.NodeAffinity",
  "NodeAffinity limits or ranks the nodes for a pod by the labels of the nodes.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      NodeSelector,
      "Selector that a node must match for the pod to be scheduled on it. Later changes to the node's labels do not evict the pod.",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      atomicList(PreferredSchedulingTerm),
      "Weighted preferences. The scheduler prefers the nodes whose matching terms have the largest sum of weights.",
    ),
  }),
);
export type NodeAffinity = z.infer<typeof NodeAffinity>;

export const PodAffinityTerm = object(
  "io.k8s.api.core.v1.PodAffinityTerm",
  "PodAffinityTerm selects pods, and defines the topology in which nodes count as the same location.",
  () => ({
    labelSelector: field(1, LabelSelector, "Label selector of the pods. If unset, the term does not match any pod."),
    namespaces: field(
      2,
      atomicList(text),
      "Namespaces of the pods, in addition to the namespaces that namespaceSelector selects. If both fields are unset, the pod's own namespace is used.",
    ),
    topologyKey: required(
      3,
      text,
      "Key of a node label. Nodes whose label has the same value count as the same location. Must not be empty.",
    ),
    namespaceSelector: field(
      4,
      LabelSelector,
      "Label selector of additional namespaces of the pods. An empty selector matches all namespaces.",
    ),
    matchLabelKeys: field(
      5,
      atomicList(text),
      "Keys of labels. The values of these labels are taken from the incoming pod and added to labelSelector with the operator In.",
    ),
    mismatchLabelKeys: field(
      6,
      atomicList(text),
      "Keys of labels. The values of these labels are taken from the incoming pod and added to labelSelector with the operator NotIn.",
    ),
  }),
);
export type PodAffinityTerm = z.infer<typeof PodAffinityTerm>;

export const WeightedPodAffinityTerm = object(
  "io.k8s.api.core.v1.WeightedPodAffinityTerm",
  "WeightedPodAffinityTerm adds a weight to the score of matching locations.",
  () => ({
    weight: required(1, int32, "Weight of the term, from 1 to 100."),
    podAffinityTerm: required(2, PodAffinityTerm, "Term that the location must match to receive the weight."),
  }),
);
export type WeightedPodAffinityTerm = z.infer<typeof WeightedPodAffinityTerm>;

export const PodAffinity = object(
  "io.k8s.api.core.v1.PodAffinity",
  "PodAffinity places a pod on the same node, or in the same zone or other topology, as the selected pods.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      atomicList(PodAffinityTerm),
      "Required terms. The pod is scheduled only on a node that matches every term. Later changes to labels do not evict the pod.",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      atomicList(WeightedPodAffinityTerm),
      "Weighted preferences. The scheduler prefers the nodes whose matching terms have the largest sum of weights.",
    ),
  }),
);
export type PodAffinity = z.infer<typeof PodAffinity>;

export const PodAntiAffinity = object(
  "io.k8s.api.core.v1.PodAntiAffinity",
  "PodAntiAffinity keeps a pod away from the node, zone or other topology of the selected pods.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      atomicList(PodAffinityTerm),
      "Forbidden terms. The pod is scheduled only on a node that does not match any term. Later changes to labels do not evict the pod.",
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      atomicList(WeightedPodAffinityTerm),
      "Weighted preferences. The scheduler prefers the nodes whose matching terms have the smallest sum of weights.",
    ),
  }),
);
export type PodAntiAffinity = z.infer<typeof PodAntiAffinity>;

export const Affinity = object(
  "io.k8s.api.core.v1.Affinity",
  "Affinity groups the scheduling constraints of a pod.",
  () => ({
    nodeAffinity: field(1, NodeAffinity, "Rules for the labels of the pod's node."),
    podAffinity: field(2, PodAffinity, "Rules that place the pod near other pods."),
    podAntiAffinity: field(3, PodAntiAffinity, "Rules that keep the pod away from other pods."),
  }),
);
export type Affinity = z.infer<typeof Affinity>;
