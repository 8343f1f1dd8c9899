import { findCondition, isPodTerminating, type Node, type Pod } from "@kintsugi/api";

/** More pods than this are counted instead of named, so that the text stays readable. */
const namedMax = 3;

/**
 * The text for each pod that is being deleted on a node which does not answer: the pod may still
 * run there, so that no other may have its name.
 *
 * @param findNode the nodes by name, as the informer shows them.
 */
export function planWaiting(pods: readonly Pod[], findNode: (name: string) => Node | undefined): string[] {
  const waiting = pods.filter(isPodTerminating).flatMap((pod) => {
    const node = findNode(pod.spec?.nodeName ?? "");
    return node !== undefined && isSilent(node) ? [explainWaiting(pod, node)] : [];
  });
  if (waiting.length <= namedMax) return waiting;
  return [...waiting.slice(0, namedMax), `${waiting.length - namedMax} more pods wait likewise.`];
}

function isSilent({ status }: Node): boolean {
  return findCondition(status?.conditions, "Ready")?.status !== "True";
}

function explainWaiting(pod: Pod, { metadata, status }: Node): string {
  const { name } = pod.metadata;
  const node = metadata.name ?? "";
  const since = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
  return (
    `Pod ${name} is not replaced: it may still run on node ${node}, which is not ready` +
    `${since === undefined ? "" : ` since ${since}`}. ` +
    `It is replaced as soon as the node is ready again and has stopped it. If the node is off, ` +
    `delete the node (kubectl delete node ${node}), ` +
    `taint it (kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute), ` +
    `or delete the pod by force (kubectl delete pod ${name} --grace-period=0 --force).`
  );
}
