import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, setList, text, time } from "../../../schema/types.ts";
import { taintEffect } from "../../../schema/words.ts";

export const ConfigMapNodeConfigSource = object(
  "io.k8s.api.core.v1.ConfigMapNodeConfigSource",
  "The source names a ConfigMap with kubelet settings; it is deprecated and has no effect.",
  () => ({
    namespace: required(1, text, "The ConfigMap is in this namespace."),
    name: required(2, text, "The ConfigMap has this name."),
    uid: field(3, text, "The ConfigMap has this UID; the field is forbidden in the spec and required in the status."),
    resourceVersion: field(
      4,
      text,
      "The ConfigMap is at this version; the field is forbidden in the spec and required in the status.",
    ),
    kubeletConfigKey: required(5, text, "The settings are stored under this key of the ConfigMap."),
  }),
);
export type ConfigMapNodeConfigSource = z.infer<typeof ConfigMapNodeConfigSource>;

export const NodeConfigSource = object(
  "io.k8s.api.core.v1.NodeConfigSource",
  "The source names the origin of kubelet settings; it is deprecated and has no effect.",
  () => ({
    configMap: field(2, ConfigMapNodeConfigSource, "The settings come from this ConfigMap."),
  }),
);
export type NodeConfigSource = z.infer<typeof NodeConfigSource>;

export const Taint = object(
  "io.k8s.api.core.v1.Taint",
  "A taint repels pods that do not tolerate it from the node that carries it.",
  () => ({
    key: required(1, text, "Tolerations match the taint by this key, which is a qualified label key."),
    value: field(2, text, "Tolerations with the operator Equal match the taint by this value."),
    effect: required(
      3,
      taintEffect,
      "NoSchedule keeps new pods away, PreferNoSchedule makes the node a last resort, and NoExecute also evicts running pods.",
    ),
    timeAdded: field(4, time, "The taint was added at this time."),
  }),
);
export type Taint = z.infer<typeof Taint>;

export const NodeSpec = object(
  "io.k8s.api.core.v1.NodeSpec",
  "The spec describes the desired state of a node.",
  () => ({
    podCIDR: field(1, text, "Pods on the node receive their addresses from this range."),
    externalID: field(2, text, "This field is deprecated and no longer used."),
    providerID: field(3, text, "The cloud provider identifies the node by this ID, in the form <provider>://<id>."),
    unschedulable: field(
      4,
      bool,
      "The scheduler places no new pods on the node while this is true; kubectl cordon sets it.",
    ),
    taints: field(5, atomicList(Taint), "Pods run on the node only if they tolerate its taints."),
    configSource: field(6, NodeConfigSource, "This field is deprecated and no longer used."),
    podCIDRs: field(
      7,
      setList(text, { patchStrategy: "merge" }),
      "Pods on the node receive their addresses from these ranges, at most one each of IPv4 and IPv6; the first equals podCIDR.",
    ),
  }),
);
export type NodeSpec = z.infer<typeof NodeSpec>;
