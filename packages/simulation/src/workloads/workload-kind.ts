import { type ApiObject, controllerOf, type Pod, type PodTemplateSpec, type ResourceType } from "@kintsugi/api";
import type { ScenarioWorkload } from "../scenario/scenario.ts";

/**
 * One kind of workload as a value: everything about it that scenarios, faults, the end of a run and
 * the timeline need. A kind costs a file in `kinds/`, a name in scenario.ts and a row in
 * workload-kinds.ts.
 */
export interface WorkloadKind<T extends ApiObject = ApiObject> {
  readonly type: ResourceType<T>;
  /** The object that a scenario's workload represents. */
  make(workload: ScenarioWorkload, template: PodTemplateSpec): T;
  /** Returns the object's wanted number of pods at this time. */
  wantedPods(object: T): number;
  /** The patch that scales the object; absent if the kind has no size of its own. */
  scaledTo?(replicas: number): object;
  /** The patch that suspends its schedule, or resumes it; absent if the kind has no schedule. */
  suspended?(suspend: boolean): object;
  /**
   * The kind's way to replace its pods after a change of the template; absent if the kind never
   * replaces them.
   */
  readonly rollOut?: RollOut<T>;
  /**
   * The fate of pods on nodes that remain lost: they are replaced, or they remain (a daemon's), or
   * their workload waits until the node is known to be off (a StatefulSet's identities).
   */
  readonly onLostNodes?: "replaced" | "stays" | "waits";
  /** True for work that ends by itself: its pods remain after their end. */
  readonly ends?: true;
  /** Lists the differences between the object's status and its pods, in an idle cluster. */
  unsettled(object: T, pods: PodsAtRest): string[];
  /** Reasons of its events that are in the short timeline. */
  readonly events: readonly string[];
}

export interface RollOut<T extends ApiObject = ApiObject> {
  /** The patch that changes the object's template in this way. */
  patch(template: object): object;
  templateOf(object: T): PodTemplateSpec | undefined;
  /** False if a version that cannot start blocks the next version until a user deletes its pods. */
  readonly mendsItself: boolean;
}

export interface PodsAtRest {
  readonly all: readonly Pod[];
  /** The pods that should run: without remaining pods on lost nodes, and without rejected pods. */
  readonly present: readonly Pod[];
  /** The names of all nodes except those that a user has declared out of service. */
  readonly nodes: readonly string[];
  readonly lostNodes: ReadonlySet<string>;
}

/**
 * True for an owner with a pod that is being deleted on a lost node. Only the node's kubelet could
 * confirm the pod's end, so an owner that waits for the end waits forever.
 */
export function isHeldUp(ownerUid: string | undefined, { all, lostNodes }: PodsAtRest): boolean {
  return all.some(
    (pod) =>
      controllerOf(pod)?.uid === ownerUid &&
      pod.metadata.deletionTimestamp !== undefined &&
      lostNodes.has(pod.spec?.nodeName ?? ""),
  );
}

/** A merge patch of the size, for kinds that have it in `spec.replicas`. */
export function sizedByReplicas(replicas: number): object {
  return { spec: { replicas } };
}
