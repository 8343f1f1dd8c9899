import type { ResourceType } from "../../../meta/resource-type.ts";
import type { NodeMetrics, PodMetrics } from "./usage.ts";

export const nodeMetrics: ResourceType<NodeMetrics> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  resource: "nodes",
  singular: "",
  kind: "NodeMetrics",
  namespaced: false,
  shortNames: [],
  categories: [],
};

export const podMetrics: ResourceType<PodMetrics> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  resource: "pods",
  singular: "",
  kind: "PodMetrics",
  namespaced: true,
  shortNames: [],
  categories: [],
};

/** metrics.k8s.io/v1 has the same kinds. */
export const nodeMetricsV1: ResourceType<NodeMetrics> = { ...nodeMetrics, version: "v1" };

export const podMetricsV1: ResourceType<PodMetrics> = { ...podMetrics, version: "v1" };
