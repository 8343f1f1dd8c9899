import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import { type Plugin, scoreMax } from "../framework/plugin.ts";

/** A node is the better the more evenly its cpu and memory are used once the pod is on it. */
export const balancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  score: {
    weight: 1,
    prepare: (pod) => {
      if ((pod.requests["cpu"] ?? 0) === 0 && (pod.requests["memory"] ?? 0) === 0) return "indifferent";
      return { score: (node) => balance(pod, node) };
    },
  },
};

function balance(pod: PodInfo, node: NodeInfo): number {
  const shares = ["cpu", "memory"].flatMap((name) => {
    const allocatable = node.allocatable[name] ?? 0;
    if (allocatable === 0) return [];
    return [Math.min(1, ((node.requested[name] ?? 0) + (pod.requests[name] ?? 0)) / allocatable)];
  });
  const [cpu, memory] = shares;
  // The standard deviation of two values is half their distance; of one it is nothing.
  const deviation = cpu === undefined || memory === undefined ? 0 : Math.abs(cpu - memory) / 2;
  return Math.floor((1 - deviation) * scoreMax);
}
