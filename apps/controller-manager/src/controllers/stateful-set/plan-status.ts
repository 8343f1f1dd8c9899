import {
  findCondition,
  formatTimestamp,
  isPodAvailable,
  isPodReady,
  type Pod,
  type StatefulSet,
  type StatefulSetCondition,
  type StatefulSetStatus,
  withoutCondition,
} from "@kintsugi/api";
import { waitingForNodeCondition } from "@kintsugi/rules";
import type { RecordedRevision } from "../../shared/revision-history/revision-history.ts";
import { revisionNameOf } from "./identity.ts";
import type { PodAction } from "./plan-ordinals.ts";
import { isTerminating } from "./plan-ordinals.ts";

export interface SetStatusInput {
  set: StatefulSet;
  pods: readonly Pod[];
  current: string;
  recorded: RecordedRevision;
  actions: readonly PodAction[];
  /** A sentence for each pod that waits for its node. */
  waiting: readonly string[];
}

export function planSetStatus(input: SetStatusInput, nowMs: number): StatefulSetStatus {
  const { set, pods, current, recorded, actions } = input;
  const update = recorded.latest.metadata.name ?? "";
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod));
  const lasting = pods.filter((pod) => !isTerminating(pod)).map(revisionNameOf);
  // A pod that this pass deletes for an update no longer counts, as in upstream's
  // updateStatefulSet.
  const updated = actions.filter((action) => action.do === "delete" && action.for === "update");
  const conditions = planConditions(input, nowMs);
  const status: StatefulSetStatus = {
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs)).length,
    currentReplicas: Math.max(0, lasting.filter((revision) => revision === current).length - updated.length),
    updatedReplicas: lasting.filter((revision) => revision === update).length,
    currentRevision: current,
    updateRevision: update,
    collisionCount: recorded.collisionCount,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return isComplete(set, status)
    ? { ...status, currentReplicas: status.updatedReplicas, currentRevision: update }
    : status;
}

/** All pods have the present revision and are ready: upstream's completeRollingUpdate. */
function isComplete({ spec }: StatefulSet, { replicas, readyReplicas, updatedReplicas }: StatefulSetStatus): boolean {
  const wanted = spec?.replicas ?? 1;
  if (spec?.updateStrategy?.type === "OnDelete") return false;
  return replicas === wanted && readyReplicas === wanted && updatedReplicas === wanted;
}

function planConditions({ set, waiting }: SetStatusInput, nowMs: number): StatefulSetCondition[] {
  const others = withoutCondition([...(set.status?.conditions ?? [])], waitingForNodeCondition);
  if (waiting.length === 0) return others;
  const before = findCondition(set.status?.conditions, waitingForNodeCondition);
  const since = before?.status === "True" ? before.lastTransitionTime : undefined;
  const condition: StatefulSetCondition = {
    type: waitingForNodeCondition,
    status: "True",
    lastTransitionTime: since ?? formatTimestamp(nowMs),
    reason: "NodeUnreachable",
    message: waiting.join(" "),
  };
  return [...others, condition];
}
