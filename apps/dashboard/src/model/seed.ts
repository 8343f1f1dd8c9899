import { findCondition, instantOf, type Node, type Pod, type TimelineEntry } from "@kintsugi/api";

type Moment = Pick<TimelineEntry, "what" | "detail"> & { timeMs: number };

/**
 * Lists the steps that an object itself shows, oldest first, for an object whose history the page
 * cannot read, or that began before the timeline.
 */
export function stepsOfPod(pod: Pod): TimelineEntry[] {
  const { metadata, spec, status } = pod;
  const createdMs = instantOf(metadata.creationTimestamp) ?? 0;
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  const ready = findCondition(status?.conditions, "Ready");
  const node = spec?.nodeName ?? "";
  const deletedMs = instantOf(metadata.deletionTimestamp);
  const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  const moments: Moment[] = [{ what: "created", detail: "", timeMs: createdMs }];
  const add = (what: string, detail: string, timeMs: number | undefined) =>
    moments.push({ what, detail, timeMs: Math.max(timeMs ?? createdMs, createdMs) });
  if (node !== "") add("bound", node, instantOf(scheduled?.lastTransitionTime));
  if (status?.phase !== undefined) add("phase", status.phase, instantOf(status.startTime));
  for (const { name, state } of status?.containerStatuses ?? []) {
    const reason = state?.waiting?.reason ?? "";
    if (reason !== "") add("container-waiting", `${name}: ${reason}`, instantOf(ready?.lastTransitionTime));
  }
  if (ready !== undefined && (ready.status === "True" || status?.phase === "Running"))
    add("condition", `Ready=${ready.status}`, instantOf(ready.lastTransitionTime));
  if (deletedMs !== undefined) add("terminating", `grace period ${graceSeconds} s`, deletedMs - graceSeconds * 1000);
  const about = { kind: "Pod", namespace: metadata.namespace ?? "", name: metadata.name ?? "", node } as const;
  return inOrder(moments).map((moment) => ({ ...moment, ...about, revision: 0 }));
}

/** Lists the steps that a Node itself shows, oldest first. */
export function stepsOfNode({ metadata, spec, status }: Node): TimelineEntry[] {
  const createdMs = instantOf(metadata.creationTimestamp) ?? 0;
  const ready = findCondition(status?.conditions, "Ready");
  const readyMs = Math.max(createdMs, instantOf(ready?.lastTransitionTime) ?? createdMs);
  const moments: Moment[] = [{ what: "created", detail: "", timeMs: createdMs }];
  if (ready !== undefined) moments.push({ what: "condition", detail: `Ready=${ready.status}`, timeMs: readyMs });
  for (const { key, effect } of spec?.taints ?? [])
    moments.push({ what: "taint-added", detail: `${key}:${effect}`, timeMs: readyMs });
  if (spec?.unschedulable === true) moments.push({ what: "cordoned", detail: "", timeMs: readyMs });
  const name = metadata.name ?? "";
  return inOrder(moments).map((moment) => ({ ...moment, kind: "Node", namespace: "", name, node: name, revision: 0 }));
}

/** Sorting is stable: steps of the same second keep the order in which they happened. */
function inOrder(moments: readonly Moment[]): Moment[] {
  return moments.toSorted((a, b) => a.timeMs - b.timeMs);
}
