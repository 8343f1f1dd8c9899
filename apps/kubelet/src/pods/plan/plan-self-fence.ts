import {
  defaultGracePeriodSeconds,
  parsePodFence,
  podFenceAnnotation,
  type Taint,
  tolerationSeconds,
} from "@kintsugi/api";
import { type BoundPod, isStaticPod } from "../../model/bound-pod.ts";

// One silence, in seconds since the last successful renewal of the Lease was sent (profile default;
// the pod tolerates unreachable for 300 s and ends within 30 s):
//
//    0    10         40        50                      339          340
//    │    │ renewal  │ the     │ stopAfter: SIGTERM      │ endAfter:  │ the eviction deletes it:
//    │    │ fails    │ node is │                         │ SIGKILL at │ its replacement may run
//    │    │          │ lost    │                         │ the latest │
//
// A pod without tolerations is replaced at 40: stopAfter is 37 and endAfter 39.

export interface SelfFenceOptions {
  /** Silence after which the controller-manager considers a node lost. */
  gracePeriodMs: number;
  renewIntervalMs: number;
}

export interface SelfFencePlan {
  /** The pod is stopped after this silence. */
  stopAfterMs: number;
  /**
   * All its containers must have ended after this silence; Infinity when silence alone never
   * replaces the pod.
   */
  endAfterMs: number;
}

const unreachable: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };
/**
 * Two monotonic clocks differ by less than 500 ppm, so by 170 ms in 340 s. The rest is for a timer
 * that fires late and for the kernel, which has to end processes after a SIGKILL.
 */
const uncertaintyMs = 1000;
/** The shortest time between a container's SIGTERM and SIGKILL; the kubelet's minimum. */
const endingMs = 2000;

/**
 * Plans the silence after which a pod is stopped; undefined for a pod that did not request it, and
 * for static pods, which are never replaced.
 */
export function planSelfFence(pod: BoundPod, options: SelfFenceOptions): SelfFencePlan | undefined {
  if (!asksForFence(pod) || isStaticPod(pod)) return undefined;
  const { gracePeriodMs, renewIntervalMs } = options;
  const toleratedMs = tolerationSeconds([unreachable], pod.spec.tolerations) * 1000;
  const endAfterMs = Math.max(0, gracePeriodMs + toleratedMs - uncertaintyMs);
  // The margin is one renewal. At its end the control plane also considers the node lost. One or
  // two failed renewals do not prove that the node is lost.
  const wantedMs = Math.min(gracePeriodMs + renewIntervalMs, endAfterMs - endingMs);
  return { stopAfterMs: Math.max(wantedMs, Math.min(2 * renewIntervalMs, endAfterMs)), endAfterMs };
}

/** The shortest silence after which a pod is stopped. */
export function leastSilenceMs({ gracePeriodMs, renewIntervalMs }: SelfFenceOptions): number {
  return Math.min(2 * renewIntervalMs, Math.max(0, gracePeriodMs - uncertaintyMs));
}

/** The seconds in which the containers of a pod have to end, when this silence stops them. */
export function fenceGraceSeconds(pod: BoundPod, { endAfterMs }: SelfFencePlan, silenceMs: number): number {
  const ownSeconds = pod.spec.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds;
  return Math.max(0, Math.min(ownSeconds, Math.floor((endAfterMs - silenceMs) / 1000)));
}

/** Validation rejects other values. A pod that was stored before this validation is not fenced. */
function asksForFence({ metadata }: BoundPod): boolean {
  try {
    return parsePodFence(metadata.annotations?.[podFenceAnnotation] ?? "false");
  } catch {
    return false;
  }
}
