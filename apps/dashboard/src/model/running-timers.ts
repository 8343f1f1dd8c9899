import { findCondition, type Deployment, instantOf, type Job, type Node, type Pod } from "@kintsugi/api";
import {
  explainObject,
  type ExplainedObject,
  type ExplainedReason,
  type TimerName,
  type World,
} from "@kintsugi/explanation";

/** A running timer: its end is drawn right of now, and approaches now. */
export interface RunningTimer {
  readonly about: ExplainedObject;
  readonly timer: TimerName;
  /** The beginning of the wait, if known. */
  readonly sinceMs: number | undefined;
  readonly atMs: number;
  readonly because: string;
  /** The sentence about the next step; "" if unknown. */
  readonly next: string;
}

/** Limit on timers of a crowd that restarts at the same time, because people do not read more. */
const explainedMax = 200;
/** Time for which a timer that should have ended is shown as overdue; after that it is hidden. */
const overdueShownMs = 60_000;

/** Lists the running timers of a world, the next to end first. */
export function runningTimersOf(world: World): RunningTimer[] {
  const { nodes = [], pods = [], deployments = [], jobs = [] } = world.objects;
  const reasons = [
    ...nodes.filter((node) => isTroubledNode(node)).map((node) => ["nodes", node] as const),
    ...pods.filter(mayHaveTimer).map((pod) => ["pods", pod] as const),
    ...deployments.filter(isRollingOut).map((deployment) => ["deployments", deployment] as const),
    ...jobs.filter(isActive).map((job) => ["jobs", job] as const),
  ]
    .slice(0, explainedMax)
    .flatMap(([resource, object]) => explainObject(resource, object as never, { world }).reasons);
  const lateNodes = nodes.filter((node) => !isTroubledNode(node)).flatMap((node) => lateReasons(node, world));
  const seen = new Set<string>();
  return [...reasons, ...lateNodes]
    .flatMap(runningTimerOf)
    .filter(({ about, timer, atMs }) => {
      // A workload repeats the reasons of its pods.
      const key = `${about.kind}/${about.namespace}/${about.name}/${timer}`;
      if (seen.has(key) || atMs < world.nowMs - overdueShownMs) return false;
      seen.add(key);
      return true;
    })
    .toSorted((a, b) => a.atMs - b.atMs);
}

function runningTimerOf({ about, due, since, because, next = "" }: ExplainedReason): RunningTimer[] {
  const atMs = instantOf(due?.at);
  if (due === undefined || atMs === undefined) return [];
  return [{ about, timer: due.timer, sinceMs: instantOf(since), atMs, because, next }];
}

/**
 * A kubelet is late before its node is considered silent; most are not late, which is quick to
 * check.
 */
function lateReasons(node: Node, world: World): readonly ExplainedReason[] {
  const lease = world.objects.leases?.find(({ metadata }) => metadata.name === node.metadata.name);
  const renewedMs = instantOf(lease?.spec?.renewTime);
  if (renewedMs === undefined || world.nowMs - renewedMs < world.timers.nodeLeaseRenewIntervalMs * 2) return [];
  return explainObject("nodes", node, { world }).reasons;
}

function isTroubledNode({ status }: Node): boolean {
  return findCondition(status?.conditions, "Ready")?.status !== "True";
}

function mayHaveTimer({ metadata, spec, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return false;
  return (spec?.nodeName ?? "") !== "" && findCondition(status?.conditions, "Ready")?.status !== "True";
}

function isRollingOut({ spec, status }: Deployment): boolean {
  const wanted = spec?.replicas ?? 1;
  return (status?.updatedReplicas ?? 0) < wanted || (status?.availableReplicas ?? 0) < wanted;
}

function isActive({ status }: Job): boolean {
  return status?.completionTime === undefined;
}
