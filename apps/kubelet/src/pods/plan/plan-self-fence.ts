import { parsePodFence, podFenceAnnotation, type Taint, tolerationSeconds } from "@kintsugi/api";
import { type BoundPod, isStaticPod } from "../../model/bound-pod.ts";

// One silence, in seconds since the last renewal of the Lease that succeeded was sent (profile
// default; the pod tolerates unreachable for 300 s and ends within 30 s):
//
//    0    10         40        50                      339          340
//    │    │ renewal  │ the     │ stopAfter: SIGTERM      │ endAfter:  │ the eviction deletes it:
//    │    │ fails    │ node is │                         │ SIGKILL at │ its replacement may run
//    │    │          │ given up│                         │ the latest │
//
// A pod that tolerates nothing is replaced at 40: stopAfter is 37 and endAfter 39.

export interface SelfFenceOptions {
  /** Silence after which the controller-manager gives up a node. */
  gracePeriodMs: number;
  renewIntervalMs: number;
}

export interface SelfFencePlan {
  /** The pod is stopped after this silence. */
  stopAfterMs: number;
  /** Nothing of it may run after this silence; Infinity when no silence alone replaces it. */
  endAfterMs: number;
}

const unreachable: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };
/**
 * Two monotonic clocks differ by less than 500 ppm, so by 170 ms in 340 s; the rest is for a timer
 * that fires late and for the kernel, which has to end what got a SIGKILL.
 */
const uncertaintyMs = 1000;
/** A container gets at least this long between SIGTERM and SIGKILL; the kubelet's least. */
const endingMs = 2000;

/**
 * Plans after which silence a pod is stopped; undefined for one that did not ask, and for static
 * pods, which nothing replaces.
 */
export function planSelfFence(pod: BoundPod, options: SelfFenceOptions): SelfFencePlan | undefined {
  if (!asksForFence(pod) || isStaticPod(pod)) return undefined;
  const { gracePeriodMs, renewIntervalMs } = options;
  const toleratedMs = tolerationSeconds([unreachable], pod.spec.tolerations) * 1000;
  const endAfterMs = Math.max(0, gracePeriodMs + toleratedMs - uncertaintyMs);
  // The margin is one renewal: at its end the control plane has given up the node too. A failed
  // renewal or two prove nothing.
  const wantedMs = Math.min(gracePeriodMs + renewIntervalMs, endAfterMs - endingMs);
  return { stopAfterMs: Math.max(wantedMs, Math.min(2 * renewIntervalMs, endAfterMs)), endAfterMs };
}

/** No pod is stopped after a shorter silence than this. */
export function leastSilenceMs({ gracePeriodMs, renewIntervalMs }: SelfFenceOptions): number {
  return Math.min(2 * renewIntervalMs, Math.max(0, gracePeriodMs - uncertaintyMs));
}

/** The seconds that the containers of a pod get to end, when this silence stops them. */
export function fenceGraceSeconds(pod: BoundPod, { endAfterMs }: SelfFencePlan, silenceMs: number): number {
  const ownSeconds = pod.spec.terminationGracePeriodSeconds ?? 30;
  return Math.max(0, Math.min(ownSeconds, Math.floor((endAfterMs - silenceMs) / 1000)));
}

/** Validation refuses other values; a pod that was stored before it did is not fenced. */
function asksForFence({ metadata }: BoundPod): boolean {
  try {
    return parsePodFence(metadata.annotations?.[podFenceAnnotation] ?? "false");
  } catch {
    return false;
  }
}
