import type { Lease } from "../kinds/coordination/lease/lease.ts";
import type { Node } from "../kinds/core/node/node.ts";
import type { Pod } from "../kinds/core/pod/pod.ts";
import { planContainerSteps } from "./plan-container-steps.ts";
import type { TimelineEntry } from "./timeline-entry.ts";
import type { Step } from "./plan-container-steps.ts";

/** One change of a node or a pod; a deletion has no `after`. */
export interface ObservedChange<T> {
  before: T | undefined;
  after: T | undefined;
  revision: number;
  /** The time of the commit. */
  timeMs: number;
}

/**
 * Lists the parts of a change of a Node that matter to a recovery: conditions, taints, creation and
 * deletion.
 */
export function planNodeEntries(change: ObservedChange<Node>): TimelineEntry[] {
  const { before, after } = change;
  const node = after ?? before;
  if (node === undefined) return [];
  const name = node.metadata.name ?? "";
  const steps: Step[] = [
    ...existenceSteps(before, after),
    ...conditionSteps(before?.status?.conditions ?? [], after?.status?.conditions ?? []),
    ...taintSteps(before, after),
    ...cordonSteps(before, after),
  ];
  return toEntries(steps, change, { kind: "Node", namespace: "", name, node: name });
}

/**
 * Lists the parts of a change of a Pod that matter to a recovery: its binding, its state, the ends
 * and starts of its containers.
 */
export function planPodEntries(change: ObservedChange<Pod>): TimelineEntry[] {
  const { before, after } = change;
  const pod = after ?? before;
  if (pod === undefined) return [];
  const { name = "", namespace = "" } = pod.metadata;
  const steps: Step[] = [
    ...existenceSteps(before, after),
    ...(after === undefined ? [] : [...bindingSteps(before, after), ...deletionSteps(before, after)]),
    ...(after === undefined ? [] : [...phaseSteps(before, after), ...planContainerSteps(before, after)]),
    ...conditionSteps(before?.status?.conditions ?? [], after?.status?.conditions ?? []),
  ];
  return toEntries(steps, change, { kind: "Pod", namespace, name, node: pod.spec?.nodeName ?? "" });
}

/**
 * Lists a change of a Lease's leader. Renewals, and Leases without a holder, do not make a step.
 */
export function planLeaseEntries(change: ObservedChange<Lease>): TimelineEntry[] {
  const { before, after } = change;
  const { name = "", namespace = "" } = (after ?? before)?.metadata ?? {};
  const [old, now] = [holderOf(before), holderOf(after)];
  if (old === now) return [];
  const predecessor = old === "" ? "" : `, after ${hostOf(old)}`;
  const step =
    now === "" ? { what: "released", detail: hostOf(old) } : { what: "leads", detail: `${hostOf(now)}${predecessor}` };
  return toEntries([step], change, { kind: "Lease", namespace, name, node: "" });
}

function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? "";
}

/** The identity of a leader is the name of its machine, "_", and a random part. */
function hostOf(holder: string): string {
  return holder.replace(/_[^_]*$/, "");
}

function toEntries(
  steps: readonly Step[],
  change: { revision: number; timeMs: number },
  about: Pick<TimelineEntry, "kind" | "namespace" | "name" | "node">,
): TimelineEntry[] {
  return steps.map(({ what, detail, timeMs }) => ({
    ...(timeMs === undefined ? { timeMs: change.timeMs } : { timeMs, committedMs: change.timeMs }),
    revision: change.revision,
    ...about,
    what,
    detail,
  }));
}

function existenceSteps(before: object | undefined, after: object | undefined): Step[] {
  if (before === undefined) return [{ what: "created", detail: "" }];
  return after === undefined ? [{ what: "deleted", detail: "" }] : [];
}

interface Condition {
  type: string;
  status: string;
  reason?: string | undefined;
}

/** Only a condition with a new status or reason makes a step, unlike a heartbeat. */
function conditionSteps(before: readonly Condition[], after: readonly Condition[]): Step[] {
  const steps: Step[] = [];
  for (const { type, status, reason = "" } of after) {
    const old = before.find((condition) => condition.type === type);
    if (old?.status === status && (old.reason ?? "") === reason) continue;
    steps.push({ what: "condition", detail: `${type}=${status}${reason === "" ? "" : ` (${reason})`}` });
  }
  return steps;
}

function taintSteps(before: Node | undefined, after: Node | undefined): Step[] {
  if (after === undefined) return [];
  const old = taintsOf(before);
  const now = taintsOf(after);
  return [
    ...now.filter((taint) => !old.includes(taint)).map((detail) => ({ what: "taint-added", detail })),
    ...old.filter((taint) => !now.includes(taint)).map((detail) => ({ what: "taint-removed", detail })),
  ];
}

function taintsOf(node: Node | undefined): string[] {
  return (node?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
}

function cordonSteps(before: Node | undefined, after: Node | undefined): Step[] {
  const [old, now] = [before?.spec?.unschedulable === true, after?.spec?.unschedulable === true];
  if (after === undefined || old === now) return [];
  return [{ what: now ? "cordoned" : "uncordoned", detail: "" }];
}

function bindingSteps(before: Pod | undefined, after: Pod): Step[] {
  const nodeName = after.spec?.nodeName ?? "";
  if (nodeName === "" || (before?.spec?.nodeName ?? "") !== "") return [];
  return [{ what: "bound", detail: nodeName }];
}

function deletionSteps(before: Pod | undefined, after: Pod): Step[] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = after.metadata;
  if (deletionTimestamp === undefined || before?.metadata.deletionTimestamp !== undefined) return [];
  return [{ what: "terminating", detail: `grace period ${deletionGracePeriodSeconds} s` }];
}

function phaseSteps(before: Pod | undefined, after: Pod): Step[] {
  const { phase, reason = "" } = after.status ?? {};
  if (phase === undefined || phase === before?.status?.phase) return [];
  return [{ what: "phase", detail: reason === "" ? phase : `${phase} (${reason})` }];
}
