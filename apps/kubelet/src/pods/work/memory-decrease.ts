import { memoryBytes } from "@kintsugi/api";
import type { ContainerStats } from "@kintsugi/cri";
import { actuatedOf, type ResizeRecord } from "../../model/allocation.ts";
import { type BoundPod, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";
import {
  findContainer,
  isRunning,
  nameOf,
  type ObservedContainer,
  type ObservedPod,
} from "../../model/observed-pod.ts";

/** A memory limit that a resize lowers, or sets where there was no limit. */
export interface MemoryDecrease {
  /** Undefined for the limit of the pod as a whole. */
  readonly container: string | undefined;
  readonly limitBytes: number;
}

/**
 * Lists the memory limits that the resize of one container lowers (kuberuntime_manager.go
 * validateMemoryResizeAction).
 */
export function memoryDecreases(
  pod: BoundPod,
  subject: { observed: ObservedPod; resized: ObservedContainer; record: ResizeRecord },
): MemoryDecrease[] {
  const name = nameOf(subject.resized);
  const after = new Map<string, number>();
  const before = new Map<string, number>();
  const lasting = [...initContainersOf(pod).filter(isRestartableInit), ...pod.spec.containers];
  for (const container of lasting) {
    const limitBytes = memoryBytes(container.resources?.limits?.["memory"]);
    after.set(container.name, limitBytes);
    const instance = container.name === name ? subject.resized : findContainer(subject.observed, container.name);
    const actuated = instance && isRunning(instance) ? actuatedOf(instance, subject.record) : undefined;
    before.set(container.name, actuated === undefined ? limitBytes : memoryBytes(actuated.limits?.["memory"]));
  }
  const limits: [container: string | undefined, next: number, previous: number][] = [
    [undefined, sumOfAll(after), sumOfAll(before)],
    [name, after.get(name) ?? 0, before.get(name) ?? 0],
  ];
  return limits
    .filter(([, next, previous]) => next > 0 && (previous === 0 || next < previous))
    .map(([container, limitBytes]) => ({ container, limitBytes }));
}

/** Returns, in upstream's words, which limits would be below the current use. */
export function refuseDecreases(
  decreases: readonly MemoryDecrease[],
  stats: readonly ContainerStats[],
): string | undefined {
  const usageBytes = (each: ContainerStats) => each.memoryUsageBytes ?? each.memoryWorkingSetBytes;
  const because = decreases.flatMap(({ container, limitBytes }) => {
    const counted = stats.filter(({ name }) => container === undefined || name === container);
    const what = container === undefined ? "pod" : `container ${JSON.stringify(container)}`;
    if (counted.length === 0) return [`missing ${what} memory usage`];
    const used = counted.reduce((sum, each) => sum + usageBytes(each), 0);
    return used < limitBytes
      ? []
      : [`attempting to set ${what} memory limit (${limitBytes}) below current usage (${used})`];
  });
  if (because.length === 0) return undefined;
  const [only = ""] = because;
  return `cannot decrease memory limits: ${because.length === 1 ? only : `[${because.join(", ")}]`}`;
}

/** 0, which means no limit, unless each container has a limit. */
function sumOfAll(limits: ReadonlyMap<string, number>): number {
  const all = [...limits.values()];
  return all.includes(0) ? 0 : all.reduce((sum, limit) => sum + limit, 0);
}
