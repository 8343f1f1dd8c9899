import { findCondition, isPodTerminating, type Node, type Pod } from "@kintsugi/api";

/** Limit on named pods; further pods are only counted, so that the text is readable. */
const namedMax = 3;

/** The condition of a StatefulSet that cannot replace a pod before its node is known to be off. */
export const waitingForNodeCondition = "kintsugi.dev/WaitingForNode";

/**
 * The text for each pod that is being deleted on a node which does not answer. The pod may still
 * run there, so another pod must not have its name.
 *
 * @param findNode the nodes by name, as the informer shows them.
 */
export function planWaiting(pods: readonly Pod[], findNode: (name: string) => Node | undefined): string[] {
  const waiting = pods.filter(isPodTerminating).flatMap((pod) => {
    const node = findNode(pod.spec?.nodeName ?? "");
    return node !== undefined && isSilent(node) ? [explainWaiting(pod, node)] : [];
  });
  if (waiting.length <= namedMax) return waiting;
  return [...waiting.slice(0, namedMax), `${waiting.length - namedMax} more pods wait for the same reason.`];
}

/** Reports whether the node does not answer, so that its pods may still run there. */
export function isSilent({ status }: Node): boolean {
  return findCondition(status?.conditions, "Ready")?.status !== "True";
}

/** The ways to state that a silent node is off, so that a pod on it can be replaced. */
export function silentNodeRemedies(node: string, pod: { namespace: string; name: string }) {
  return {
    deleteNode: `kubectl delete node ${node}`,
    taintNode: `kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
    deletePod: `kubectl delete pod ${pod.name} --grace-period=0 --force -n ${pod.namespace}`,
  };
}

function explainWaiting({ metadata: { name = "", namespace = "" } }: Pod, { metadata, status }: Node): string {
  const node = metadata.name ?? "";
  const since = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
  const { deleteNode, taintNode, deletePod } = silentNodeRemedies(node, { namespace, name });
  return (
    `Pod ${name} is not replaced: it may still run on node ${node}, which is not ready` +
    `${since === undefined ? "" : ` since ${since}`}. ` +
    `It is replaced as soon as the node is ready again and has stopped it. If the node is off, ` +
    `delete the node (${deleteNode}), taint it (${taintNode}), or delete the pod by force (${deletePod}).`
  );
}
