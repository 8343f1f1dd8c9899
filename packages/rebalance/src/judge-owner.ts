import { isPodActive, isPodReady, parseTimestamp, type Pod, rebalanceAnnotation } from "@kintsugi/api";
import { changedAtMs } from "./changed-at.ts";
import { findRecord, movesMax } from "./record.ts";
import type { Owner, RebalanceOptions } from "./world.ts";

/**
 * Times of the API are whole seconds. A pod of an earlier move must not look like the replacement
 * of the next move.
 */
const timestampMs = 1000;

/** The reason why a pod does not move; `isPassing` if the reason ends with time. */
export interface Hold {
  readonly because: string;
  readonly isPassing: boolean;
}

export function lasting(because: string): Hold {
  return { because, isPassing: false };
}

function passing(because: string): Hold {
  return { because, isPassing: true };
}

export interface OwnerPods {
  readonly pods: readonly Pod[];
  readonly mark: string;
  readonly nowMs: number;
}

/** Finds the reason why the owner's pods do not move now; undefined if the pods may move. */
export function findOwnerHold(owner: Owner, state: OwnerPods, options: RebalanceOptions): Hold | undefined {
  const { metadata } = owner.object;
  const choice = metadata.annotations?.[rebalanceAnnotation];
  if (choice === "false") return lasting(`its annotation ${rebalanceAnnotation} is "false"`);
  if (owner.isStateful && !options.includeStateful && choice !== "true")
    return lasting("pods of a StatefulSet move only on request");
  if (metadata.deletionTimestamp !== undefined) return lasting("it is being deleted");
  if (owner.rollout !== undefined) return lasting(owner.rollout);
  return findPodsHold(owner, state, options) ?? findRecordHold(owner, state, options);
}

/** All pods exist, are Ready, and have been Ready for a while. */
function findPodsHold({ replicas }: Owner, { pods, nowMs }: OwnerPods, options: RebalanceOptions): Hold | undefined {
  const active = pods.filter(isPodActive);
  if (active.length !== replicas) return lasting(`it has ${active.length} of ${replicas} pods`);
  const unready = active.find((pod) => !isPodReady(pod));
  if (unready !== undefined) return lasting(`pod ${unready.metadata.name} is not Ready`);
  const fresh = active.find((pod) => {
    const sinceMs = nowMs - changedAtMs(pod);
    return sinceMs < Math.max(options.settleMs, 2 * timestampMs);
  });
  return fresh === undefined ? undefined : passing(`pod ${fresh.metadata.name} changed recently`);
}

function findRecordHold(
  { object }: Owner,
  { mark, nowMs }: OwnerPods,
  { cooldownMs }: RebalanceOptions,
): Hold | undefined {
  const record = findRecord(object);
  if (record === undefined) return undefined;
  if (nowMs - parseTimestamp(record.at) < cooldownMs) return passing(`its last move began at ${record.at}`);
  if (record.nodes !== mark) return undefined;
  if (record.blocked !== undefined) return lasting(`no further attempt until the nodes change: ${record.blocked}`);
  return record.moved.length < movesMax
    ? undefined
    : lasting(`${movesMax} of its pods have moved since the nodes changed`);
}
