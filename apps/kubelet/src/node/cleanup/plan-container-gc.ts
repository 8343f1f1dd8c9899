import type { Container, PodSandbox } from "@kintsugi/cri";
import { labelNames } from "../../model/labels.ts";
import { newestSandboxes } from "../../model/newest-sandboxes.ts";

export interface ContainerGcOptions {
  /**
   * Ended containers that are retained per container of a pod
   * (`--maximum-dead-containers-per-container`). Default 1; negative: all.
   */
  maxPerPodContainer: number;
  /** The limit for the whole node (`--maximum-dead-containers`). Default -1: no limit. */
  maxContainers: number;
  /**
   * A container that was created more recently is retained (`--minimum-container-ttl-duration`).
   * Default 0.
   */
  minAgeMs: number;
}

export interface ObservedContainers {
  containers: readonly Container[];
  sandboxes: readonly PodSandbox[];
  /**
   * Reports whether the pod has ended. Housekeeping removes pods that the API does not have as a
   * whole.
   */
  readonly isEnded: (uid: string) => boolean;
}

export interface ContainerGcPlan {
  containers: Container[];
  sandboxIds: string[];
}

/**
 * Chooses the ended containers that are no longer needed (kuberuntime_gc.go). All containers of
 * ended pods are removed when the node is short of space.
 */
export function planContainerGc(
  observed: ObservedContainers,
  options: ContainerGcOptions & { pressed: boolean },
  nowMs: number,
): ContainerGcPlan {
  const { maxPerPodContainer, maxContainers, minAgeMs, pressed } = options;
  const gone = new Set<Container>();
  const units = new Map<string, Container[]>();
  for (const container of observed.containers) {
    if (container.state === "running" || container.state === "unknown") continue;
    if (pressed && observed.isEnded(podUid(container))) {
      gone.add(container);
      continue;
    }
    if (nowMs - container.createdAtMs < minAgeMs) continue;
    const key = `${podUid(container)}/${container.metadata.name}`;
    units.set(key, [...(units.get(key) ?? []), container]);
  }
  for (const unit of units.values()) unit.sort((a, b) => b.metadata.attempt - a.metadata.attempt);
  if (maxPerPodContainer >= 0) {
    for (const unit of units.values()) for (const old of surplus(unit, maxPerPodContainer, observed)) gone.add(old);
  }
  const kept = () => [...units.values()].flat().filter((container) => !gone.has(container));
  if (maxContainers >= 0 && kept().length > maxContainers) {
    // The limit is first divided evenly; further containers are removed by age, the oldest first.
    const perUnit = Math.max(1, Math.floor(maxContainers / units.size));
    for (const unit of units.values()) for (const old of unit.slice(perUnit)) gone.add(old);
    const byAge = kept().toSorted((a, b) => a.createdAtMs - b.createdAtMs);
    for (const old of byAge.slice(0, Math.max(0, byAge.length - maxContainers))) gone.add(old);
  }
  return { containers: [...gone], sandboxIds: idleSandboxes(observed, gone) };
}

/**
 * The newest instance of a container that no longer runs is its current state and not its history,
 * so it does not count as retained.
 */
function surplus(unit: readonly Container[], max: number, { containers }: ObservedContainers): Container[] {
  const [newest] = unit;
  const runs = containers.some(
    (each) =>
      newest !== undefined &&
      podUid(each) === podUid(newest) &&
      each.metadata.name === newest.metadata.name &&
      each.metadata.attempt > newest.metadata.attempt,
  );
  return unit.slice(max + (runs ? 0 : 1));
}

/** A sandbox that is not ready, has no containers, and does not represent an ongoing pod. */
function idleSandboxes({ sandboxes, containers, isEnded }: ObservedContainers, gone: ReadonlySet<Container>): string[] {
  const inUse = new Set(containers.filter((container) => !gone.has(container)).map(({ sandboxId }) => sandboxId));
  const newest = newestSandboxes(sandboxes);
  return sandboxes
    .filter(({ id, ready }) => !ready && !inUse.has(id))
    .filter(
      ({ id, metadata: { uid } }) =>
        newest.get(uid)?.id !== id || (isEnded(uid) && !hasContainers(uid, containers, gone)),
    )
    .map(({ id }) => id);
}

function hasContainers(uid: string, containers: readonly Container[], gone: ReadonlySet<Container>): boolean {
  return containers.some((container) => podUid(container) === uid && !gone.has(container));
}

function podUid({ labels }: Container): string {
  return labels[labelNames.podUid] ?? "";
}
