import {
  apiVersionOf,
  bytesQuantity,
  type ContainerMetrics,
  formatQuantity,
  formatTimestamp,
  type Node,
  type NodeMetrics,
  nodeMetrics,
  type ObjectMeta,
  type Pod,
  type PodMetrics,
  podMetrics,
} from "@kintsugi/api";
import { type NodeSamples, type Usage, usageBetween } from "./resource-samples.ts";

/** Returns the usage of a node; undefined until there are two samples. */
export function nodeUsage(node: Node, samples: NodeSamples | undefined, nowMs: number): NodeMetrics | undefined {
  const { last, previous } = samples ?? {};
  if (!last?.node || !previous?.node) return undefined;
  const usage = usageBetween(last.node, previous.node);
  return {
    kind: nodeMetrics.kind,
    apiVersion: apiVersionOf(nodeMetrics),
    metadata: metadataOf(node.metadata, nowMs),
    ...measured(usage),
    usage: amounts(usage),
  };
}

/**
 * Returns the usage of a pod's containers; undefined unless the pod runs and all containers have
 * two samples (metrics-server pkg/storage/pod.go).
 */
export function podUsage(pod: Pod, samples: NodeSamples | undefined, nowMs: number): PodMetrics | undefined {
  const { name = "", namespace = "" } = pod.metadata;
  const last = samples?.last.pods.get(`${namespace}/${name}`);
  const previous = samples?.previous.pods.get(`${namespace}/${name}`);
  if (pod.status?.phase !== "Running" || !last || !previous || last.size === 0) return undefined;
  const containers: ContainerMetrics[] = [];
  let earliest: Usage | undefined;
  for (const [container, point] of last) {
    const before = previous.get(container);
    if (!before) return undefined;
    const usage = usageBetween(point, before);
    containers.push({ name: container, usage: amounts(usage) });
    if (!earliest || usage.atMs < earliest.atMs) earliest = usage;
  }
  if (!earliest) return undefined;
  return {
    kind: podMetrics.kind,
    apiVersion: apiVersionOf(podMetrics),
    metadata: metadataOf(pod.metadata, nowMs),
    ...measured(earliest),
    containers: containers.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function metadataOf({ name, namespace, labels }: ObjectMeta, nowMs: number): ObjectMeta {
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    creationTimestamp: formatTimestamp(nowMs),
    ...(labels === undefined ? {} : { labels }),
  };
}

function measured({ atMs, windowMs }: Usage): { timestamp: string; window: string } {
  return { timestamp: formatTimestamp(atMs), window: `${windowMs / 1000}s` };
}

function amounts({ cpuNanoCores, memoryBytes }: Usage): Record<string, string> {
  return {
    cpu: formatQuantity({ nanos: BigInt(cpuNanoCores), format: "DecimalSI" }),
    memory: bytesQuantity(memoryBytes),
  };
}
