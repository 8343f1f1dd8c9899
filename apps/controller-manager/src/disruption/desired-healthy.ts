import { controllerOf, matchesLabels, type Pod, type PodDisruptionBudget, toSelector } from "@kintsugi/api";

/** How many pods the controller with this UID is meant to have; undefined if that is not known. */
export type WantedReplicas = (controllerUid: string) => number | undefined;

/** What a budget asks of the pods that it selects. */
export type Desired =
  | {
      isKnown: true;
      desiredHealthy: number;
      /** How many there should be; where that is none, nothing may go. */
      expectedPods: number;
      /** Names of those that did not count, because nobody says how many of them there should be. */
      unmanaged: readonly string[];
    }
  | { isKnown: false; because: string };

/** As upstream's disruption controller: a minimum in pods counts as it is, everything else refers to the wanted replicas. */
export function desiredHealthy(
  { spec }: PodDisruptionBudget,
  selected: readonly Pod[],
  wantedReplicas: WantedReplicas,
): Desired {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable === "number")
    return { isKnown: true, desiredHealthy: minAvailable, expectedPods: selected.length, unmanaged: [] };
  const scale = expectedScale(selected, wantedReplicas);
  if (!scale.isKnown) return scale;
  const { expectedPods } = scale;
  if (maxUnavailable !== undefined)
    return { ...scale, desiredHealthy: Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods)) };
  // A budget that says nothing means that one pod at least stays.
  return { ...scale, desiredHealthy: minAvailable === undefined ? 1 : scaled(minAvailable, expectedPods) };
}

/** Tells whether the budget is about a pod of its namespace. The selector is read once, however many pods are asked about. */
export function selects({ spec }: PodDisruptionBudget): (pod: Pod) => boolean {
  const selector = toSelector(spec?.selector);
  return ({ metadata }) => matchesLabels(selector, metadata.labels);
}

type Scale = { isKnown: true; expectedPods: number; unmanaged: string[] } | { isKnown: false; because: string };

/** How many pods the controllers of these want, each counted once. */
function expectedScale(pods: readonly Pod[], wantedReplicas: WantedReplicas): Scale {
  const controllers = new Set<string>();
  const unmanaged: string[] = [];
  let expectedPods = 0;
  for (const pod of pods) {
    const { name = "" } = pod.metadata;
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined) {
      unmanaged.push(name);
      continue;
    }
    const wanted = wantedReplicas(uid);
    if (wanted === undefined) return { isKnown: false, because: `found no controllers for pod "${name}"` };
    if (!controllers.has(uid)) expectedPods += wanted;
    controllers.add(uid);
  }
  return { isKnown: true, expectedPods, unmanaged };
}

/** "50%" of the total, rounded up, or the number itself. */
function scaled(value: number | string, total: number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value);
  return percent ? Math.ceil((Number(percent[1]) * total) / 100) : Number(value);
}
