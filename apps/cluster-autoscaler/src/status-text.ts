import { formatTimestamp, type Node } from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";
import { stringify } from "yaml";
import { groupOfNode, isLeaving, isReady, type World } from "./model/world.ts";
import type { Look } from "./plan/plan-look.ts";

/** Limit of the nodes whose reason the status contains; more than a lab has. */
const reasonsMax = 50;

/** A written status, with the time of each condition's last change. */
export interface WrittenStatus {
  /** Writes the status as YAML, which most inspections do not need. */
  readonly text: () => string;
  /** The content without the times, so that an equal content is not written at every inspection. */
  readonly content: string;
  readonly writtenMs: number;
  readonly since: ReadonlyMap<string, { status: string; sinceMs: number }>;
}

/**
 * Returns the ConfigMap `cluster-autoscaler-status` as YAML, in the form of upstream's
 * ClusterAutoscalerStatus (cluster-autoscaler/clusterstate/api/types.go). Two keys are Kintsugi's
 * own: `scaleDownCandidates` names the unneeded nodes, and `stays` the reason of each other node.
 */
export function autoscalerStatus(
  world: World,
  look: Look,
  { nowMs, before }: { nowMs: number; before: WrittenStatus | undefined },
): WrittenStatus {
  const since = new Map<string, { status: string; sinceMs: number }>();
  const times: Times = (key, status) => {
    const known = before?.since.get(key);
    const sinceMs = known?.status === status ? known.sinceMs : nowMs;
    since.set(key, { status, sinceMs });
    return { lastProbeTime: formatTimestamp(nowMs), lastTransitionTime: formatTimestamp(sinceMs) };
  };
  const conditions = {
    time: formatTimestamp(nowMs),
    autoscalerStatus: "Running",
    clusterWide: clusterWide(world, look, times),
    nodeGroups: world.groups.map((group) => groupStatus(group, { world, look, nowMs, times })),
  };
  const nodes = {
    ...(look.unneeded.length === 0 ? {} : { scaleDownCandidates: look.unneeded }),
    ...(look.kept.size === 0 ? {} : { stays: Object.fromEntries([...look.kept].slice(0, reasonsMax)) }),
  };
  return {
    text: () => stringify({ ...conditions, ...nodes }),
    content: withoutTimes(conditions) + JSON.stringify(nodes),
    writtenMs: nowMs,
    since,
  };
}

const timeKeys: ReadonlySet<string> = new Set(["time", "lastProbeTime", "lastTransitionTime"]);

function withoutTimes(status: object): string {
  return JSON.stringify(status, (key, value: unknown) => (timeKeys.has(key) ? undefined : value));
}

type Times = (key: string, status: string) => object;

function clusterWide(world: World, look: Look, times: Times) {
  const ordered = look.actions.some((action) => action.do === "resize");
  const scaleUp =
    ordered || look.upcoming.length > 0 ? "InProgress" : look.waiting > 0 ? "Needed" : ("NoActivity" as const);
  return {
    health: {
      status: "Healthy",
      nodeCounts: nodeCounts(world.nodes, 0),
      ...times("health", "Healthy"),
    },
    scaleUp: { status: scaleUp, ...times("scaleUp", scaleUp) },
    scaleDown: scaleDown(look.unneeded.length, (status) => times("scaleDown", status)),
  };
}

function groupStatus(
  group: NodeGroup,
  { world, look, nowMs, times }: { world: World; look: Look; nowMs: number; times: Times },
) {
  const { name, target, min, max, machines } = group;
  const own = world.nodes.filter((node) => groupOfNode([group], node) !== undefined);
  const upcoming = look.upcoming.filter((id) => machines.includes(id)).length;
  const registered = new Set(own.map(({ spec }) => spec?.providerID));
  const pausedUntilMs = look.memory.groups.get(name)?.untilMs ?? 0;
  const isPaused = pausedUntilMs > nowMs;
  const health = isPaused ? "Unhealthy" : "Healthy";
  const ordered = look.actions.some((action) => action.do === "resize" && action.group.name === name);
  const scaleUp = isPaused ? "Backoff" : ordered || upcoming > 0 ? "InProgress" : "NoActivity";
  const unneeded = own.filter(({ metadata }) => look.unneeded.includes(metadata.name ?? "")).length;
  return {
    name,
    health: {
      status: health,
      nodeCounts: nodeCounts(own, machines.filter((id) => !registered.has(id)).length),
      cloudProviderTarget: target,
      minSize: min,
      maxSize: max,
      ...times(`${name} health`, health),
    },
    scaleUp: {
      status: scaleUp,
      ...(isPaused
        ? {
            backoffInfo: {
              errorCode: "other",
              errorMessage: `machines are not requested until ${formatTimestamp(pausedUntilMs)}`,
            },
          }
        : {}),
      ...times(`${name} scaleUp`, scaleUp),
    },
    scaleDown: scaleDown(unneeded, (status) => times(`${name} scaleDown`, status)),
  };
}

function scaleDown(candidates: number, times: (status: string) => object) {
  const status = candidates > 0 ? "CandidatesPresent" : "NoCandidates";
  return { status, ...(candidates > 0 ? { candidates } : {}), ...times(status) };
}

function nodeCounts(nodes: readonly Node[], unregistered: number) {
  const leaving = nodes.filter(isLeaving).length;
  const staying = nodes.filter((node) => !isLeaving(node));
  const ready = staying.filter(isReady).length;
  return {
    registered: {
      total: nodes.length,
      ready,
      notStarted: 0,
      ...(leaving === 0 ? {} : { beingDeleted: leaving }),
      unready: { total: staying.length - ready, resourceUnready: 0 },
    },
    longUnregistered: 0,
    unregistered,
  };
}
