import type { PodStatus } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import type { ConditionVerdict, EndVerdict } from "../../model/verdicts.ts";

/** The pod in the API and in the runtime. */
export interface SyncedPod {
  readonly pod: BoundPod;
  readonly observed: ObservedPod;
}

// The hooks of a part in the life of a pod. Each hook is called for all parts, in the order of the
// list.
//
//   sync:       begin ─► admit ─► follow ─► (status) ─► hold ─► refresh ─► rounds of steps
//   a round:    reserve ─► beforeSandbox ─► beforeContainer ─► follow ─► (status)
//   terminate:  stopping ─► containers stop ─► stopped ─► (status) ─► afterEnd
//   remove:     stopped ─► removeRemains ─► forget
//   status:     conditions, delaysEnd

/**
 * One concern of a pod: its devices, its volumes, its probes. A part implements the hooks that it
 * needs.
 */
export interface PodPart {
  readonly name: string;
  /** A sync begins. */
  begin?(pod: BoundPod): void;
  /** Resolves with the reason to end the pod; undefined for a pod that may run. */
  admit?(synced: SyncedPod, signal: AbortSignal): Promise<EndVerdict | undefined> | EndVerdict | undefined;
  /** Called after the pod was read from the runtime. */
  follow?(synced: SyncedPod): void;
  /** Returns the time of the next try for a pod without steps at the moment. */
  hold?(pod: BoundPod): { retryAfterMs: number } | undefined;
  /** Updates the files of running containers. */
  refresh?(synced: SyncedPod): Promise<void>;
  /** Returns the time until the part ends the pod. */
  untilEndMs?(pod: BoundPod, status: PodStatus): number | undefined;
  /**
   * Reserves the pod's share of the node before its sandbox. Resolves with whether the round may
   * continue; a part that rejects the pod has emitted its event.
   */
  reserve?(pod: BoundPod, signal: AbortSignal): Promise<boolean>;
  /** Reports whether the share is reserved. If it is not, a container reserves it. */
  isReserved?(pod: BoundPod): boolean;
  /** Prepares the sandbox, at the same time as the other parts. */
  beforeSandbox?(pod: BoundPod): Promise<void>;
  /** Prepares a container of a sandbox that an earlier round created. */
  beforeContainer?(pod: BoundPod): Promise<void>;
  conditions?(synced: SyncedPod): readonly ConditionVerdict[];
  /** Reports whether the pod's end must not be reported to the API yet. */
  delaysEnd?(uid: string): boolean;
  /** Called before the pod is stopped. */
  stopping?(uid: string): void;
  /** Called when the pod has no running containers. May be repeated. */
  stopped?(uid: string, signal: AbortSignal): Promise<void> | void;
  /** Called after the end of the pod was reported. */
  afterEnd?(uid: string): Promise<void> | void;
  /** Called when the API no longer has the pod, which may still run. */
  vacate?(uid: string): void;
  /** Removes the files of a pod without containers or sandboxes in the runtime. */
  removeRemains?(uid: string): Promise<void>;
  /** Called when the pod will not run again. */
  forget?(uid: string): void;
}
