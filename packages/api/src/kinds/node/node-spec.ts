import type { z } from "zod";
import { field, object, required } from "../../schema/fields.ts";
import { atomicList, bool, setList, text, time } from "../../schema/types.ts";
import { taintEffect } from "../../schema/words.ts";

export const ConfigMapNodeConfigSource = object("io.k8s.api.core.v1.ConfigMapNodeConfigSource", {
  namespace: required(1, text),
  name: required(2, text),
  uid: field(3, text),
  resourceVersion: field(4, text),
  kubeletConfigKey: required(5, text),
});
export type ConfigMapNodeConfigSource = z.infer<typeof ConfigMapNodeConfigSource>;

export const NodeConfigSource = object("io.k8s.api.core.v1.NodeConfigSource", {
  configMap: field(2, ConfigMapNodeConfigSource),
});
export type NodeConfigSource = z.infer<typeof NodeConfigSource>;

export const Taint = object("io.k8s.api.core.v1.Taint", {
  key: required(1, text),
  value: field(2, text),
  effect: required(3, taintEffect),
  timeAdded: field(4, time),
});
export type Taint = z.infer<typeof Taint>;

export const NodeSpec = object("io.k8s.api.core.v1.NodeSpec", {
  podCIDR: field(1, text),
  externalID: field(2, text),
  providerID: field(3, text),
  unschedulable: field(4, bool),
  taints: field(5, atomicList(Taint)),
  configSource: field(6, NodeConfigSource),
  podCIDRs: field(7, setList(text, { patchStrategy: "merge" })),
});
export type NodeSpec = z.infer<typeof NodeSpec>;
