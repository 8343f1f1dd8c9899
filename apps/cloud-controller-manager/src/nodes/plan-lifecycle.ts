import { formatTimestamp, type Node, parseTimestamp, type Taint } from "@kintsugi/api";
import type { Instance } from "@kintsugi/cloud";
import { isUninitialized } from "./plan-initialization.ts";

/**
 * The machine of the node has no power. The attach-detach controller and people read this taint.
 */
const shutdownTaint: Taint = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" };

/** The machine is certainly off, so its pods and volumes can be released; upstream's key. */
const outOfServiceTaint: Taint = {
  key: "node.kubernetes.io/out-of-service",
  value: "nodeshutdown",
  effect: "NoExecute",
};
/**
 * Time for which the Node is retained until its volumes are detached. Without this time, a volume
 * that was mounted is only detached after 6 minutes.
 */
const releaseMaxMs = 60_000;

/**
 * Reports whether the cloud has to be queried. A kubelet that reports proves that its machine
 * exists.
 */
export function isInDoubt({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status !== "True";
}

/** The next step for a node; "nothing" where the node is already correct. */
export type LifecycleStep = "nothing" | "delete" | { update: Node };

/**
 * Plans the next step for a node (upstream: cloud-node-lifecycle-controller). A node that the cloud
 * has never initialized is skipped, because its machine may be too new for the cloud, or not belong
 * to it, such as hollow nodes and machines that joined.
 */
export function planLifecycle(node: Node, instance: Instance | undefined, nowMs: number): LifecycleStep {
  if (!isInDoubt(node)) return withoutTaint(node);
  if (instance === undefined) return isOfCloud(node) ? planEnd(node, nowMs) : "nothing";
  if (instance.state !== "stopped") return withoutTaint(node);
  const taints = node.spec?.taints ?? [];
  if (taints.some(({ key }) => key === shutdownTaint.key)) return "nothing";
  const added = { ...shutdownTaint, timeAdded: formatTimestamp(nowMs) };
  return { update: { ...node, spec: { ...node.spec, taints: [...taints, added] } } };
}

/**
 * A machine that no longer exists does not run pods, so its node is out of service until its
 * volumes are detached. This is Kintsugi's own rule. Upstream deletes the Node immediately, and its
 * volumes wait.
 */
function planEnd(node: Node, nowMs: number): LifecycleStep {
  if ((node.status?.volumesAttached ?? []).length === 0) return "delete";
  const taints = node.spec?.taints ?? [];
  const present = taints.find(({ key }) => key === outOfServiceTaint.key);
  if (present === undefined) {
    const added = { ...outOfServiceTaint, timeAdded: formatTimestamp(nowMs) };
    return { update: { ...node, spec: { ...node.spec, taints: [...taints, added] } } };
  }
  const sinceMs = present.timeAdded === undefined ? 0 : parseTimestamp(present.timeAdded);
  return nowMs - sinceMs < releaseMaxMs ? "nothing" : "delete";
}

/** Initialization sets the ID of a node's machine. */
function isOfCloud(node: Node): boolean {
  return !isUninitialized(node) && (node.spec?.providerID ?? "") !== "";
}

export function hasShutdownTaint({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === shutdownTaint.key);
}

function withoutTaint(node: Node): LifecycleStep {
  if (!hasShutdownTaint(node)) return "nothing";
  const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== shutdownTaint.key);
  const { taints: _, ...spec } = node.spec ?? {};
  return { update: { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } } };
}
