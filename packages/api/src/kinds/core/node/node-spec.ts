import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, setList, text, time } from "../../../schema/types.ts";
import { taintEffect } from "../../../schema/words.ts";

export const ConfigMapNodeConfigSource = object(
  "io.k8s.api.core.v1.ConfigMapNodeConfigSource",
  "A ConfigMap with a kubelet's settings. No longer used.",
  () => ({
    namespace: required(1, text),
    name: required(2, text),
    uid: field(3, text),
    resourceVersion: field(4, text),
    kubeletConfigKey: required(5, text),
  }),
);
export type ConfigMapNodeConfigSource = z.infer<typeof ConfigMapNodeConfigSource>;

export const NodeConfigSource = object(
  "io.k8s.api.core.v1.NodeConfigSource",
  "Where a kubelet's settings come from. No longer used.",
  () => ({
    configMap: field(2, ConfigMapNodeConfigSource),
  }),
);
export type NodeConfigSource = z.infer<typeof NodeConfigSource>;

export const Taint = object("io.k8s.api.core.v1.Taint", "Keeps pods off a node that do not tolerate it.", () => ({
  key: required(1, text, "What is the matter with the node."),
  value: field(2, text, "More about it."),
  effect: required(3, taintEffect, "NoSchedule, PreferNoSchedule or NoExecute, which also evicts."),
  timeAdded: field(4, time, "When a NoExecute taint was set."),
}));
export type Taint = z.infer<typeof Taint>;

export const NodeSpec = object(
  "io.k8s.api.core.v1.NodeSpec",
  "What administrators and controllers decide about a node.",
  () => ({
    podCIDR: field(1, text, "The addresses of its pods."),
    externalID: field(2, text, "No longer used."),
    providerID: field(3, text, "What its provider calls it."),
    unschedulable: field(4, bool, "No new pods, please: it is cordoned."),
    taints: field(5, atomicList(Taint), "What its pods have to tolerate."),
    configSource: field(6, NodeConfigSource, "No longer used."),
    podCIDRs: field(7, setList(text, { patchStrategy: "merge" }), "The addresses of its pods, one range per family."),
  }),
);
export type NodeSpec = z.infer<typeof NodeSpec>;
