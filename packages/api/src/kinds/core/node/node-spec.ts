import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, setList, text, time } from "../../../schema/types.ts";
import { taintEffect } from "../../../schema/words.ts";

export const ConfigMapNodeConfigSource = object(
  "io.k8s.api.core.v1.ConfigMapNodeConfigSource",
  "ConfigMap with kubelet settings. Deprecated and without effect.",
  () => ({
    namespace: required(1, text, "Namespace of the ConfigMap."),
    name: required(2, text, "Name of the ConfigMap."),
    uid: field(3, text, "UID of the ConfigMap. Forbidden in the spec and required in the status."),
    resourceVersion: field(
      4,
      text,
      "Resource version of the ConfigMap. Forbidden in the spec and required in the status.",
    ),
    kubeletConfigKey: required(5, text, "Key of the settings in the ConfigMap."),
  }),
);
export type ConfigMapNodeConfigSource = z.infer<typeof ConfigMapNodeConfigSource>;

export const NodeConfigSource = object(
  "io.k8s.api.core.v1.NodeConfigSource",
  "Source of kubelet settings. Deprecated and without effect.",
  () => ({
    configMap: field(2, ConfigMapNodeConfigSource, "ConfigMap with the settings."),
  }),
);
export type NodeConfigSource = z.infer<typeof NodeConfigSource>;

export const Taint = object(
  "io.k8s.api.core.v1.Taint",
  "Taint keeps pods that do not tolerate the taint away from a node.",
  () => ({
    key: required(1, text, "Key of the taint, a qualified label key."),
    value: field(2, text, "Value of the taint, which tolerations with the operator Equal must match."),
    effect: required(
      3,
      taintEffect,
      "Effect on pods that do not tolerate the taint: NoSchedule excludes new pods from the node, PreferNoSchedule avoids the node for new pods, NoExecute also evicts running pods.",
    ),
    timeAdded: field(4, time, "Time at which the taint was added."),
  }),
);
export type Taint = z.infer<typeof Taint>;

export const NodeSpec = object("io.k8s.api.core.v1.NodeSpec", "Desired state of a node.", () => ({
  podCIDR: field(1, text, "IP range of the node's pods."),
  externalID: field(2, text, "Deprecated and no longer used."),
  providerID: field(3, text, "ID of the node in the cloud provider, in the form <provider>://<id>."),
  unschedulable: field(4, bool, "Prevents new pods from being scheduled on the node if true. Set by kubectl cordon."),
  taints: field(5, atomicList(Taint), "Taints of the node. A pod must tolerate the taints to run on the node."),
  configSource: field(6, NodeConfigSource, "Deprecated and no longer used."),
  podCIDRs: field(
    7,
    setList(text, { patchStrategy: "merge" }),
    "IP ranges of the node's pods, at most one per IP family. The first range must equal podCIDR.",
  ),
}));
export type NodeSpec = z.infer<typeof NodeSpec>;
