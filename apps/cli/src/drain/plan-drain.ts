import { controllerOf, isMirrorPod, isPodTerminal, type Pod } from "@kintsugi/api";

export interface DrainOptions {
  readonly ignoreDaemonSets: boolean;
  readonly deleteEmptyDirData: boolean;
  /** Pods without a controller are evicted too, and are not replaced. */
  readonly force: boolean;
}

export interface DrainPlan {
  /** Pods that have to be evicted from the node, and are not being deleted yet. */
  readonly evict: readonly Pod[];
  /** Pods that are being deleted. */
  readonly ending: readonly Pod[];
  /** Pods that remain, with the reason. */
  readonly stay: readonly Group[];
  /** Pods that must not be evicted without another option; if there are any, no pod is evicted. */
  readonly refused: readonly Group[];
  /** Remarks about pods that are evicted. */
  readonly warnings: readonly Group[];
}

export interface Group {
  readonly because: string;
  readonly pods: readonly Pod[];
}

/** The role of one pod in a drain; the messages are kubectl's. */
type Part = { is: "evict"; warning?: string } | { is: "ending" } | { is: "stay" | "refused"; because: string };

/**
 * Sorts the pods of a node, as kubectl drain does: pods of DaemonSets and static pods remain, and
 * pods whose data or work would be lost are evicted only with the caller's explicit option.
 *
 * @param daemonSets reports whether a DaemonSet still exists.
 */
export function planDrain(
  pods: readonly Pod[],
  options: DrainOptions,
  daemonSetExists: (namespace: string, name: string) => boolean,
): DrainPlan {
  const parts = pods.map((pod) => ({ pod, part: partOf(pod, options, daemonSetExists) }));
  const of = (is: Part["is"]) => parts.filter(({ part }) => part.is === is).map(({ pod }) => pod);
  return {
    evict: of("evict"),
    ending: of("ending"),
    stay: groups(parts.flatMap(({ pod, part }) => (part.is === "stay" ? [{ pod, because: part.because }] : []))),
    refused: groups(parts.flatMap(({ pod, part }) => (part.is === "refused" ? [{ pod, because: part.because }] : []))),
    warnings: groups(
      parts.flatMap(({ pod, part }) =>
        part.is === "evict" && part.warning !== undefined ? [{ pod, because: part.warning }] : [],
      ),
    ),
  };
}

function partOf(pod: Pod, options: DrainOptions, daemonSetExists: (namespace: string, name: string) => boolean): Part {
  if (isMirrorPod(pod)) return { is: "stay", because: "pods of the node's own manifests" };
  if (pod.metadata.deletionTimestamp !== undefined) return { is: "ending" };
  const owner = controllerOf(pod);
  if (owner?.kind === "DaemonSet" && !isPodTerminal(pod)) {
    if (daemonSetExists(pod.metadata.namespace ?? "", owner.name)) {
      return options.ignoreDaemonSets
        ? { is: "stay", because: "ignoring DaemonSet-managed Pods" }
        : { is: "refused", because: "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)" };
    }
    if (!options.force)
      return { is: "refused", because: "cannot delete Pods whose DaemonSet is gone (use --force to override)" };
  }
  // A pod that has ended can lose neither data nor work.
  if (isPodTerminal(pod)) return { is: "evict" };
  const hasLocalData = (pod.spec?.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined);
  if (hasLocalData && !options.deleteEmptyDirData) {
    return { is: "refused", because: "cannot delete Pods with local storage (use --delete-emptydir-data to override)" };
  }
  if (owner === undefined && !options.force) {
    return { is: "refused", because: "cannot delete Pods that declare no controller (use --force to override)" };
  }
  if (owner === undefined) return { is: "evict", warning: "deleting Pods that declare no controller" };
  return hasLocalData ? { is: "evict", warning: "deleting Pods with local storage" } : { is: "evict" };
}

function groups(items: readonly { pod: Pod; because: string }[]): Group[] {
  const reasons = [...new Set(items.map(({ because }) => because))];
  return reasons.map((because) => ({
    because,
    pods: items.filter((item) => item.because === because).map(({ pod }) => pod),
  }));
}
