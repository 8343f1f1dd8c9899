import type { Container, EphemeralContainer } from "@kintsugi/api";
import type { PodRestarts, Streak } from "../../model/escalation.ts";
import type { Resources } from "../../model/allocation.ts";
import type { ObservedContainer } from "../../model/observed-pod.ts";

/** The steps that move a pod towards its spec, in order. */
export type PodStep =
  /** Stops every container and sandbox that the pod has. */
  | { kind: "stop-pod"; because: "sandbox-changed" | "restart-requested" | "nothing-to-run" }
  /**
   * Stops the pod's containers because they fail repeatedly; `message` has the reason and the next
   * step.
   */
  | { kind: "escalate"; container: string; message: string }
  /** Empties the emptyDir volumes of the pod's previous life. */
  | { kind: "reset-volumes" }
  | { kind: "create-sandbox"; attempt: number; podRestarts: PodRestarts }
  | KillStep
  | StartStep
  | ResizeStep
  /** The container may not start yet: CrashLoopBackOff. */
  | { kind: "hold-container"; name: string; exitedId: string; backoffMs: number; remainingMs: number };

/** Changes the cpu and memory of a running container. */
export interface ResizeStep {
  kind: "resize-container";
  container: ObservedContainer;
  spec: Container;
  resources: Resources;
}

export interface KillStep {
  kind: "kill-container";
  container: ObservedContainer;
  name: string;
  message: string;
  reason: KillReason;
  graceSeconds?: number;
}

/**
 * Reports whether no other part of the plan depends on the container's end. The steps after it are
 * planned when the runtime shows how it ended.
 */
export function holdsUpNobody({ reason }: KillStep): boolean {
  return reason !== "unknown-state" && reason !== "restart-all";
}

export interface StartStep {
  kind: "start-container";
  container: Container | EphemeralContainer;
  role: ContainerRole;
  /** The restart count that this instance will have. */
  attempt: number;
  /** Time that the new instance will have to stay down after it exits. */
  carryMs: number;
  /** The history for escalation that the new instance stores. */
  streak: Streak;
  /** The number of the pod's life to which this instance belongs. */
  generation: number;
}

export type ContainerRole = "init" | "sidecar" | "regular" | "ephemeral";

/**
 * The reason why a container is killed while its pod continues. Probes may have their own grace
 * period.
 */
export type KillReason = "liveness-probe" | "startup-probe" | "changed" | "unknown-state" | "restart-all" | "resize";

export type ProbeResult = "success" | "failure" | "unknown";

/**
 * The last results of a running container's probes; undefined when it has no such probe, or no
 * probe has run.
 */
export interface ProbeVerdicts {
  liveness(containerId: string): ProbeResult | undefined;
  startup(containerId: string): ProbeResult | undefined;
  readiness(containerId: string): ProbeResult | undefined;
}
