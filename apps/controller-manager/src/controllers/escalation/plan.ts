import {
  avoidedNodes,
  findCondition,
  isPodActive,
  isPodReady,
  parseTimestamp,
  type Pod,
  replacementNeededCondition,
} from "@kintsugi/api";
import { isReplacementNeeded } from "../../shared/replacement-needed.ts";

export interface ReplacementView {
  /** Every pod of one owner, as read from the server. */
  pods: readonly Pod[];
  /** The number of pods that the owner wants; undefined when that is not known. */
  replicas: number | undefined;
}

export type ReplacementPlan =
  | { kind: "nothing" }
  | { kind: "replace"; pod: Pod }
  /**
   * `pod` is the next pod to replace. A wait without `retryAfterMs` lasts until the owner's pods
   * change.
   */
  | { kind: "wait"; pod: Pod; because: string; retryAfterMs?: number };

/**
 * The shortest lifetime of a replacement before it may itself be replaced, so that replacements
 * never form a loop. The lifetime doubles with each node on which a pod has failed.
 */
const paceInitialMs = 30_000;
/** Maximum of that lifetime. */
const paceMaxMs = 300_000;

/**
 * Chooses the pod of an owner to be replaced now. Pods are replaced one at a time, in the order in
 * which they were marked. The next pod is replaced only when the last replacement is Ready. A
 * replacement that itself fails is replaced first, because the other pods may still do some work.
 */
export function planReplacement({ pods, replicas }: ReplacementView, nowMs: number): ReplacementPlan {
  const active = pods.filter(isPodActive);
  const inNeed = active.filter(isReplacementNeeded).sort(longestInNeedFirst);
  const [first] = inNeed;
  if (!first) return { kind: "nothing" };
  const unready = active.filter((pod) => avoidedNodes(pod).length > 0 && !isPodReady(pod));
  const pod = inNeed.find((each) => unready.includes(each)) ?? first;
  const pending = unready.find((each) => !isReplacementNeeded(each));
  if (pending)
    return { kind: "wait", pod, because: `${pending.metadata.name}, which replaces another pod, is not Ready yet` };
  if (replicas === undefined && pods.some((each) => !isPodActive(each) && isReplacementNeeded(each))) {
    return { kind: "wait", pod, because: "another pod of the same owner is being deleted" };
  }
  if (replicas !== undefined && active.length < replicas) {
    return { kind: "wait", pod, because: `its owner has ${active.length} of ${replicas} pods` };
  }
  const retryAfterMs = untilOldEnoughMs(pod, nowMs);
  if (retryAfterMs > 0)
    return { kind: "wait", pod, because: "it replaces another pod, and has just been created", retryAfterMs };
  return { kind: "replace", pod };
}

function untilOldEnoughMs(pod: Pod, nowMs: number): number {
  const failures = avoidedNodes(pod).length;
  const { creationTimestamp } = pod.metadata;
  if (failures === 0 || creationTimestamp === undefined) return 0;
  const paceMs = Math.min(paceInitialMs * 2 ** (failures - 1), paceMaxMs);
  // An instant in the future means that the clock was set back; in this case, one pace is the
  // longest wait.
  return Math.min(paceMs, Math.max(0, parseTimestamp(creationTimestamp) + paceMs - nowMs));
}

function longestInNeedFirst(a: Pod, b: Pod): number {
  const order = since(a) - since(b);
  return order !== 0 ? order : (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

function since(pod: Pod): number {
  const at = findCondition(pod.status?.conditions, replacementNeededCondition)?.lastTransitionTime;
  return at === undefined ? 0 : parseTimestamp(at);
}
