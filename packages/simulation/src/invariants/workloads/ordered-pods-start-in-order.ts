import { controllerOf, type Pod, type StatefulSet, pods, statefulSets } from "@kintsugi/api";
import { isReady } from "../../committed-values.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";

/**
 * An ordered StatefulSet creates a pod only when all pods with lower ordinals are ready. Its
 * controller may use a cache that is 15 s old. A request that was in flight for longer may be based
 * on an older cache.
 */
export function orderedPodsStartInOrder({ known, viewClocks }: InvariantContext): Invariant {
  /** The time at which a pod was last ready, on the clock of the controller-manager's knowledge. */
  const readyMs = new Map<string, number>();

  return {
    name: "ordered-pods-start-in-order",
    never:
      "a new pod of an ordered StatefulSet while a pod with a lower ordinal is not ready, and was not ready in the last 15 s in which the controller-manager was connected",
    observes: [
      onKind(pods, ({ type, object, before, change }, check) => {
        const owner = controllerOf(object);
        if (owner?.kind !== "StatefulSet") return;
        const wasReady = (before !== undefined && isReady(before)) || (type === "put" && isReady(object));
        if (wasReady) readyMs.set(change.entry.key, viewClocks.controllerManager.ms);
        if (type !== "put" || before !== undefined) return;
        const set = [...known.of(statefulSets).values()].find(({ metadata }) => metadata.uid === owner.uid);
        if (set === undefined || set.spec?.podManagementPolicy === "Parallel") return;
        if (known.creationsOfPods().some(({ underwayMs }) => underwayMs > staleViewMs)) return;
        const waiting = lower(set, object).find((key) => !hasBeenReady(key));
        check(waiting && `pod ${nameOf(object)} was created, but ${waiting} is not ready`);
      }),
    ],
  };

  function hasBeenReady(key: string): boolean {
    const pod = known.of(pods).get(key);
    const lastMs = readyMs.get(key) ?? -Infinity;
    return (pod !== undefined && isReady(pod)) || lastMs + staleViewMs >= viewClocks.controllerManager.ms;
  }
}

/** The store keys of the pods with lower ordinals. */
function lower({ metadata: { name = "" }, spec }: StatefulSet, pod: Pod): string[] {
  const first = spec?.ordinals?.start ?? 0;
  const ordinal = Number((pod.metadata.name ?? "").slice(name.length + 1));
  return Array.from(
    { length: Math.max(0, ordinal - first) },
    (_, index) => `core/pods/${pod.metadata.namespace}/${name}-${first + index}`,
  );
}
