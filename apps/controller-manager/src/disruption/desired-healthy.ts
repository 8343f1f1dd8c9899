import { controllerOf, matchesLabels, type Pod, type PodDisruptionBudget, toSelector } from "@kintsugi/api";

/** How many pods the controller with this UID is meant to have; undefined if that is not known. */
export type WantedReplicas = (controllerUid: string) => number | undefined;

/** As upstream's disruption controller: a minimum in pods counts as it is, everything else refers to the wanted replicas. */
export function desiredHealthy(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  wantedReplicas: WantedReplicas,
): number {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) {
    const expected = expectedPods(pods, wantedReplicas);
    return Math.max(0, expected - scaled(maxUnavailable, expected));
  }
  if (typeof minAvailable === "number") return minAvailable;
  // A budget that says nothing means that one pod at least stays.
  return minAvailable === undefined ? 1 : scaled(minAvailable, expectedPods(pods, wantedReplicas));
}

/** How many pods the controllers of these want; one that nobody manages counts as itself. */
export function expectedPods(pods: readonly Pod[], wantedReplicas: WantedReplicas): number {
  const controllers = new Set<string>();
  let expected = 0;
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    const wanted = uid === undefined ? undefined : wantedReplicas(uid);
    if (uid === undefined || wanted === undefined) expected++;
    else if (!controllers.has(uid)) {
      controllers.add(uid);
      expected += wanted;
    }
  }
  return expected;
}

/** Tells whether the budget is about a pod of its namespace. The selector is read once, however many pods are asked about. */
export function selects({ spec }: PodDisruptionBudget): (pod: Pod) => boolean {
  const selector = toSelector(spec?.selector);
  return ({ metadata }) => matchesLabels(selector, metadata.labels);
}

/** "50%" of the total, rounded up, or the number itself. */
function scaled(value: number | string, total: number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value);
  return percent ? Math.ceil((Number(percent[1]) * total) / 100) : Number(value);
}
