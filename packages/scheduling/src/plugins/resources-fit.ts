import { type ResourceAmounts, resourceAmounts } from "@kintsugi/api";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { ClusterEvent } from "../cluster-state/cluster-event.ts";
import { type Plugin, scoreMax } from "../framework/plugin.ts";
import { fits, type Verdict } from "../framework/verdict.ts";

/**
 * The requests of a node's pods together stay within the node's resources; the emptier node is the
 * better one.
 */
export const resourcesFit: Plugin = {
  name: "NodeResourcesFit",
  filter: (pod) => ({ check: (node) => checkResources(pod, node) }),
  score: {
    weight: 1,
    prepare: (pod) => ({ score: (node) => leastAllocated(pod, node) }),
  },
  mayHelp: (pod, event) => freesResources(pod, event),
};

/** Resources that the score looks at, each counting the same. */
const scoredResources = ["cpu", "memory"] as const;

function checkResources({ requests }: PodInfo, node: NodeInfo): Verdict {
  const because: string[] = [];
  let evictionMayHelp = true;
  if (node.podCount + 1 > (node.allocatable["pods"] ?? 0)) because.push("Too many pods");
  for (const [name, wanted] of Object.entries(requests)) {
    if (wanted === 0) continue;
    const allocatable = node.allocatable[name] ?? 0;
    if (wanted <= allocatable - (node.requested[name] ?? 0)) continue;
    because.push(`Insufficient ${name}`);
    // More than the whole node has: no eviction makes room for that.
    if (wanted > allocatable) evictionMayHelp = false;
  }
  return because.length === 0 ? fits : { fits: false, because, evictionMayHelp };
}

/** The free share of the node once the pod is on it (upstream's LeastAllocated). */
function leastAllocated({ scoringRequests }: PodInfo, node: NodeInfo): number {
  let sum = 0;
  let counted = 0;
  for (const name of scoredResources) {
    const allocatable = node.allocatable[name] ?? 0;
    if (allocatable === 0) continue;
    const requested = (node.scoringRequested[name] ?? 0) + (scoringRequests[name] ?? 0);
    sum += requested > allocatable ? 0 : Math.floor(((allocatable - requested) * scoreMax) / allocatable);
    counted++;
  }
  return counted === 0 ? 0 : Math.floor(sum / counted);
}

function freesResources({ requests, uid }: PodInfo, event: ClusterEvent): boolean {
  switch (event.is) {
    case "NodeAdd":
      return couldHold(event.node.status?.allocatable, requests);
    case "NodeUpdate":
      return event.changed.allocatable && couldHold(event.node.status?.allocatable, requests);
    case "AssignedPodDelete":
      // If nothing else, there is now room for one more pod.
      return true;
    case "AssignedPodUpdate":
      return event.pod.uid !== uid && shrinks(event.pod.requests, event.before.requests, requests);
    case "AssignedPodAdd":
    case "NodeDelete":
      return false;
  }
}

function couldHold(allocatable: Readonly<Record<string, string>> | undefined, requests: ResourceAmounts): boolean {
  const amounts = resourceAmounts(allocatable);
  if ((amounts["pods"] ?? 0) < 1) return false;
  return Object.entries(requests).every(([name, wanted]) => wanted <= (amounts[name] ?? 0));
}

function shrinks(now: ResourceAmounts, before: ResourceAmounts, wanted: ResourceAmounts): boolean {
  return Object.keys(wanted).some((name) => (now[name] ?? 0) < (before[name] ?? 0));
}
