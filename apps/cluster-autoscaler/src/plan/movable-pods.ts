import { controllerOf, isMirrorPod, isPodTerminal, type Pod, type PodDisruptionBudget } from "@kintsugi/api";
import { podInfoOf, splitByBudgets } from "@kintsugi/scheduling";

const safeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const localVolumes = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";

/** A pod that is not evicted, because it belongs to the node or to a DaemonSet. */
export function isNodesOwn(pod: Pod): boolean {
  return isMirrorPod(pod) || controllerOf(pod)?.kind === "DaemonSet";
}

/** Returns the pods that have to be evicted from the node. */
export function podsToMove(pods: readonly Pod[]): Pod[] {
  return pods.filter((pod) => !isNodesOwn(pod) && !isPodTerminal(pod));
}

/**
 * Returns the reason why a pod prevents the removal of its node (upstream: drainability rules);
 * undefined where it may be evicted.
 */
export function blockedBy(pod: Pod, budgets: readonly PodDisruptionBudget[]): string | undefined {
  const { annotations = {}, namespace = "", name = "" } = pod.metadata;
  const id = `${namespace}/${name}`;
  if (annotations[safeToEvict] === "true") return undefined;
  if (annotations[safeToEvict] === "false") return `${id} is not safe to evict`;
  if (controllerOf(pod) === undefined) return `${id} has no controller that would replace it`;
  const local = (pod.spec?.volumes ?? []).filter(
    ({ emptyDir, hostPath }) => emptyDir !== undefined || hostPath !== undefined,
  );
  const safe = new Set((annotations[localVolumes] ?? "").split(","));
  const lost = local.find((volume) => !safe.has(volume.name));
  if (lost !== undefined) return `${id} has the local volume ${lost.name}`;
  const inBudget = budgets.some(
    (budget) => splitByBudgets([podInfoOf(pod)], [withoutRoom(budget)]).breaking.length > 0,
  );
  if (namespace === "kube-system" && !inBudget) return `${id} is a system pod without a budget`;
  return undefined;
}

/** A budget that every pod violates, so that it reports whether it covers a pod. */
function withoutRoom(budget: PodDisruptionBudget): PodDisruptionBudget {
  return {
    ...budget,
    status: { ...budget.status, disruptionsAllowed: 0, disruptedPods: {} } as PodDisruptionBudget["status"],
  };
}

/**
 * Returns the first pod for which a budget does not allow a disruption, when all of these pods are
 * evicted.
 */
export function breakingPod(pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]): string | undefined {
  return splitByBudgets(pods.map(podInfoOf), budgets).breaking[0]?.key;
}
