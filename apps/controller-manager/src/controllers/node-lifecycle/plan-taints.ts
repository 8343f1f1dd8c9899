import { formatTimestamp, isConditionTrue, type Node, sameTaint, type Taint } from "@kintsugi/api";
import { readyStatus } from "./plan-conditions.ts";

const notReadyTaintKey = "node.kubernetes.io/not-ready";
const unreachableTaintKey = "node.kubernetes.io/unreachable";
const unschedulableTaintKey = "node.kubernetes.io/unschedulable";

/** Taints for conditions that indicate a fault when their status is True. */
const pressureTaintKeys = {
  MemoryPressure: "node.kubernetes.io/memory-pressure",
  DiskPressure: "node.kubernetes.io/disk-pressure",
  PIDPressure: "node.kubernetes.io/pid-pressure",
  NetworkUnavailable: "node.kubernetes.io/network-unavailable",
} as const;

/**
 * NoSchedule taints with these keys belong to this controller, which removes the taints that do not
 * apply.
 */
const ownedNoScheduleKeys: readonly string[] = [
  notReadyTaintKey,
  unreachableTaintKey,
  unschedulableTaintKey,
  ...Object.values(pressureTaintKeys),
];

type DownTaintKey = typeof notReadyTaintKey | typeof unreachableTaintKey;

/** The change of the NoExecute taint that evicts pods from a node which is down. */
export type NoExecutePlan =
  | { type: "keep" }
  | { type: "remove" }
  /** `rateLimited` unless the taint only replaces the other NoExecute taint. */
  | { type: "set"; key: DownTaintKey; rateLimited: boolean };

/**
 * @param evictionsStopped while all zones are down; nodes are then not tainted, and the taints of
 * waiting nodes are removed.
 */
export function planNoExecute(node: Node, evictionsStopped: boolean): NoExecutePlan {
  const ready = readyStatus(node);
  const present = downTaintKeys(node);
  if (ready === undefined) return { type: "keep" };
  if (ready === "True" || evictionsStopped) return present.length === 0 ? { type: "keep" } : { type: "remove" };
  const key = ready === "False" ? notReadyTaintKey : unreachableTaintKey;
  if (present.length === 1 && present[0] === key) return { type: "keep" };
  return { type: "set", key, rateLimited: present.length === 0 };
}

/** The node's taints as they should be; undefined when nothing has to change. */
export function planTaints(node: Node, noExecute: NoExecutePlan, nowMs: number): Taint[] | undefined {
  const taints = node.spec?.taints ?? [];
  const timeAdded = formatTimestamp(nowMs);
  const wanted: Taint[] = wantedNoScheduleKeys(node).map((key) => ({ key, effect: "NoSchedule", timeAdded }));
  if (noExecute.type === "set") wanted.push({ key: noExecute.key, effect: "NoExecute", timeAdded });

  const stays = (taint: Taint): boolean => {
    if (wanted.some((other) => sameTaint(other, taint))) return true;
    if (taint.effect === "NoSchedule") return !ownedNoScheduleKeys.includes(taint.key);
    return !(isDownTaint(taint) && noExecute.type !== "keep");
  };
  const kept = taints.filter(stays);
  const added = wanted.filter((taint) => !kept.some((other) => sameTaint(other, taint)));
  return added.length === 0 && kept.length === taints.length ? undefined : [...kept, ...added];
}

function isDownTaint(taint: Taint): boolean {
  return taint.effect === "NoExecute" && (taint.key === notReadyTaintKey || taint.key === unreachableTaintKey);
}

function downTaintKeys(node: Node): string[] {
  return (node.spec?.taints ?? []).filter(isDownTaint).map((taint) => taint.key);
}

function wantedNoScheduleKeys(node: Node): string[] {
  const keys: string[] = [];
  const ready = readyStatus(node);
  if (ready === "False") keys.push(notReadyTaintKey);
  if (ready === "Unknown") keys.push(unreachableTaintKey);
  for (const [type, key] of Object.entries(pressureTaintKeys)) {
    if (isConditionTrue(node.status?.conditions, type)) keys.push(key);
  }
  if (node.spec?.unschedulable === true) keys.push(unschedulableTaintKey);
  return keys;
}
