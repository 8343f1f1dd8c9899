import type { PodSpec } from "@kintsugi/api";

type Toleration = NonNullable<PodSpec["tolerations"]>[number];

/**
 * Taints that upstream's daemon pods tolerate, because a problem of a node is not a reason to evict
 * its daemon pods, and is often the reason why the daemon exists.
 */
const daemonTolerations: readonly Toleration[] = [
  exists("node.kubernetes.io/not-ready", "NoExecute"),
  exists("node.kubernetes.io/unreachable", "NoExecute"),
  exists("node.kubernetes.io/disk-pressure", "NoSchedule"),
  exists("node.kubernetes.io/memory-pressure", "NoSchedule"),
  exists("node.kubernetes.io/pid-pressure", "NoSchedule"),
  exists("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/** A pod on its host's network may be the pod that sets up the pods' network. */
const hostNetworkToleration = exists("node.kubernetes.io/network-unavailable", "NoSchedule");

/** The tolerations of a template with the tolerations of every daemon pod, in upstream's order. */
export function withDaemonTolerations(spec: Pick<PodSpec, "tolerations" | "hostNetwork">): Toleration[] {
  const added = spec.hostNetwork === true ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations;
  const tolerations = [...(spec.tolerations ?? [])];
  for (const toleration of added) {
    const place = tolerations.findIndex((each) => isForSameTaint(each, toleration));
    // A time limit of the template does not apply to daemon pods.
    if (place < 0) tolerations.push(toleration);
    else tolerations[place] = toleration;
  }
  return tolerations;
}

function exists(key: string, effect: "NoExecute" | "NoSchedule"): Toleration {
  return { key, operator: "Exists", effect };
}

/** Upstream's MatchToleration: everything except the time limit is equal. */
function isForSameTaint(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? "") === (b.value ?? "");
}
