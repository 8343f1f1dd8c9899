import type { z } from "zod";
import { LabelSelector } from "../../../../meta/label-selector-type.ts";
import { atomicObject, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, oneOf, text } from "../../../../schema/types.ts";

export const NodeSelectorRequirement = object(
  "io.k8s.api.core.v1.NodeSelectorRequirement",
  "A label or field of nodes, and what its value has to be.",
  () => ({
    key: required(1, text),
    operator: required(2, oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")),
    values: field(3, atomicList(text)),
  }),
);
export type NodeSelectorRequirement = z.infer<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = atomicObject(
  "io.k8s.api.core.v1.NodeSelectorTerm",
  "Requirements that have to hold together.",
  () => ({
    matchExpressions: field(1, atomicList(NodeSelectorRequirement)),
    matchFields: field(2, atomicList(NodeSelectorRequirement)),
  }),
);
export type NodeSelectorTerm = z.infer<typeof NodeSelectorTerm>;

export const NodeSelector = atomicObject(
  "io.k8s.api.core.v1.NodeSelector",
  "Which nodes are meant: those that fit one of the terms.",
  () => ({
    nodeSelectorTerms: required(1, atomicList(NodeSelectorTerm)),
  }),
);
export type NodeSelector = z.infer<typeof NodeSelector>;

export const PreferredSchedulingTerm = object(
  "io.k8s.api.core.v1.PreferredSchedulingTerm",
  "Nodes that are preferred, and by how much.",
  () => ({
    weight: required(1, int32),
    preference: required(2, NodeSelectorTerm),
  }),
);
export type PreferredSchedulingTerm = z.infer<typeof PreferredSchedulingTerm>;

export const NodeAffinity = object("io.k8s.api.core.v1.NodeAffinity", "Which nodes a pod needs or prefers.", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: field(1, NodeSelector),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, atomicList(PreferredSchedulingTerm)),
}));
export type NodeAffinity = z.infer<typeof NodeAffinity>;

export const PodAffinityTerm = object(
  "io.k8s.api.core.v1.PodAffinityTerm",
  "Pods that a pod wants near to it, or far from it, and what near means.",
  () => ({
    labelSelector: field(1, LabelSelector),
    namespaces: field(2, atomicList(text)),
    topologyKey: required(3, text),
    namespaceSelector: field(4, LabelSelector),
    matchLabelKeys: field(5, atomicList(text)),
    mismatchLabelKeys: field(6, atomicList(text)),
  }),
);
export type PodAffinityTerm = z.infer<typeof PodAffinityTerm>;

export const WeightedPodAffinityTerm = object(
  "io.k8s.api.core.v1.WeightedPodAffinityTerm",
  "Neighbours that are preferred, and by how much.",
  () => ({
    weight: required(1, int32),
    podAffinityTerm: required(2, PodAffinityTerm),
  }),
);
export type WeightedPodAffinityTerm = z.infer<typeof WeightedPodAffinityTerm>;

export const PodAffinity = object("io.k8s.api.core.v1.PodAffinity", "Beside which pods a pod wants to run.", () => ({
  requiredDuringSchedulingIgnoredDuringExecution: field(1, atomicList(PodAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: field(2, atomicList(WeightedPodAffinityTerm)),
}));
export type PodAffinity = z.infer<typeof PodAffinity>;

export const PodAntiAffinity = object(
  "io.k8s.api.core.v1.PodAntiAffinity",
  "Away from which pods a pod wants to run.",
  () => ({
    requiredDuringSchedulingIgnoredDuringExecution: field(1, atomicList(PodAffinityTerm)),
    preferredDuringSchedulingIgnoredDuringExecution: field(2, atomicList(WeightedPodAffinityTerm)),
  }),
);
export type PodAntiAffinity = z.infer<typeof PodAntiAffinity>;

export const Affinity = object("io.k8s.api.core.v1.Affinity", "Where a pod needs or prefers to run.", () => ({
  nodeAffinity: field(1, NodeAffinity, "Which nodes."),
  podAffinity: field(2, PodAffinity, "Beside which pods."),
  podAntiAffinity: field(3, PodAntiAffinity, "Away from which pods."),
}));
export type Affinity = z.infer<typeof Affinity>;
