import { nameOf, type ObservedContainer, type ObservedPod } from "../../model/observed-pod.ts";

/** Dead instances that are retained per container, for `kubectl logs --previous`. */
const deadKeptPerContainer = 1;

/**
 * Chooses the parts of a live pod that are no longer needed: all dead instances except the newest,
 * and replaced sandboxes.
 */
export function planPruning(observed: ObservedPod): { containers: ObservedContainer[]; sandboxIds: string[] } {
  const seen = new Map<string, number>();
  const containers: ObservedContainer[] = [];
  for (const container of observed.containers) {
    if (container.state === "running" || container.state === "unknown") continue;
    const name = nameOf(container);
    const kept = seen.get(name) ?? 0;
    seen.set(name, kept + 1);
    // The newest instance, if dead, is the current state and not the last state. It counts as one
    // of the two instances that are shown.
    const newestIsDead = observed.containers.find((each) => nameOf(each) === name)?.state !== "running";
    if (kept >= deadKeptPerContainer + (newestIsDead ? 1 : 0)) containers.push(container);
  }
  const remaining = observed.containers.filter((container) => !containers.includes(container));
  const sandboxIds = observed.sandboxes
    .slice(1)
    .filter(({ id, ready }) => !ready && !remaining.some(({ sandboxId }) => sandboxId === id))
    .map(({ id }) => id);
  return { containers, sandboxIds };
}
