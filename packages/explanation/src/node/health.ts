import {
  findCondition,
  formatDuration,
  type Lease,
  type Node,
  nodeLeaseNamespace,
  noExecuteTaints,
  instantOf,
} from "@kintsugi/api";
import { evictionsPausedCondition, pauseOf, planDisruption, ZoneCounts, zoneOf } from "@kintsugi/rules";
import type { ExplainedReason } from "../explanation.ts";
import { kintsugiCommand, kubectlCommand } from "../words/commands.ts";
import { aboutObject, withText } from "../words/phrases.ts";
import { dueOf, sinceOf, toTheSecond } from "../words/times.ts";
import { findIn, listOf, type World } from "../world.ts";

/** A lease that is older than this many renewals is late. */
const lateRenewals = 2.5;

/** Explains why a node is not ready, or will soon not be ready. */
export function nodeHealthReasons(node: Node, world: World): ExplainedReason[] {
  const about = aboutObject("Node", node);
  const ready = findCondition(node.status?.conditions, "Ready");
  const lease = leaseOf(node, world);
  switch (ready?.status) {
    case undefined:
      return [neverReported(node, world)];
    case "True":
      return lateReasons(node, lease, world);
    case "False": {
      const because = `Node ${about.name} is not ready${withText(ready.message)}.`;
      const awaits = "its kubelet to report that it is ready";
      return [
        {
          code: "NodeNotReady",
          about,
          because,
          ...sinceOf(ready.lastTransitionTime),
          awaits,
          remedies: lookAt(about.name),
        },
        ...evictionReasons(node, world),
      ];
    }
    case "Unknown": {
      const last = lease?.spec?.renewTime ?? ready.lastHeartbeatTime;
      const because =
        `Node ${about.name} does not respond: ` +
        `${last ? `its kubelet sent its last heartbeat at ${toTheSecond(last)}` : "its kubelet has never reported"}.`;
      const awaits = "its kubelet to renew its lease";
      const next =
        "If the kubelet returns, the node is ready within a few seconds, and pods that are still on it continue.";
      return [
        {
          code: "NodeSilent",
          about,
          because,
          ...sinceOf(ready.lastTransitionTime),
          awaits,
          next,
          remedies: lookAt(about.name),
        },
        ...evictionReasons(node, world),
      ];
    }
  }
}

function neverReported(node: Node, world: World): ExplainedReason {
  const about = aboutObject("Node", node);
  const createdMs = instantOf(node.metadata.creationTimestamp);
  const { nodeStartupGracePeriodMs: graceMs } = world.timers;
  return {
    code: "NodeNotReady",
    about,
    because: `Node ${about.name} is new: its kubelet has not reported its state yet.`,
    ...sinceOf(node.metadata.creationTimestamp),
    awaits: "the first report of its kubelet",
    ...dueOf(createdMs === undefined ? undefined : createdMs + graceMs, "node grace period"),
    next: "Without a report until then, the node counts as silent.",
  };
}

/** A node that is still ready, but whose kubelet is late. */
function lateReasons(node: Node, lease: Lease | undefined, world: World): ExplainedReason[] {
  const renewedMs = instantOf(lease?.spec?.renewTime);
  const { nodeMonitorGracePeriodMs: graceMs, nodeLeaseRenewIntervalMs: intervalMs } = world.timers;
  if (renewedMs === undefined || world.nowMs - renewedMs < intervalMs * lateRenewals) return [];
  const about = aboutObject("Node", node);
  return [
    {
      code: "NodeLate",
      about,
      because: `The kubelet of node ${about.name} is late: it renews its lease every ${formatDuration(intervalMs)}, and last renewed it at ${lease?.spec?.renewTime ?? ""}.`,
      since: lease?.spec?.renewTime as string,
      awaits: "its kubelet to renew its lease",
      ...dueOf(renewedMs + graceMs, "node grace period"),
      next: "Without a renewal until then, the node counts as silent and gets taints that evict pods.",
      remedies: lookAt(about.name),
    },
  ];
}

/** The evictions of a node that is down: paused, queued, or started. */
function evictionReasons(node: Node, world: World): ExplainedReason[] {
  const paused = pausedReasons(node, world);
  if (paused.length > 0 || noExecuteTaints(node.spec?.taints).length > 0) return paused;
  const intervalMs = Math.round(1000 / world.timers.nodeEvictionRate);
  return [
    {
      code: "EvictionsWait",
      about: aboutObject("Node", node),
      because: `The evictions of node ${node.metadata.name ?? ""} have not begun: in each zone, evictions begin on one node every ${formatDuration(intervalMs)}.`,
      awaits: "the turn of this node",
      next: "The node gets the taint that evicts its pods, and their tolerations begin to run.",
    },
  ];
}

/**
 * Evictions of a zone in which too many nodes are down, or of a cluster in which all nodes are
 * down.
 */
function pausedReasons(node: Node, world: World): ExplainedReason[] {
  const condition = findCondition(node.status?.conditions, evictionsPausedCondition);
  const message = condition?.status === "True" ? (condition.message ?? "") : unannouncedPause(node, world);
  if (message === undefined) return [];
  return [
    {
      code: "EvictionsPaused",
      about: aboutObject("Node", node),
      because: `The pods of node ${node.metadata.name ?? ""} are not evicted${withText(message)}.`,
      ...sinceOf(condition?.lastTransitionTime),
      awaits: "enough nodes of its zone to be ready again",
      next: "Evictions continue automatically, one node after the other.",
      remedies: [{ does: "See which nodes are down", command: kubectlCommand("", "get", "nodes") }],
    },
  ];
}

/** The profile kubernetes also pauses evictions, but does not set a condition for the pause. */
function unannouncedPause(node: Node, world: World): string | undefined {
  const counts = new ZoneCounts();
  for (const each of listOf(world, "nodes")) counts.observe(each.metadata.name ?? "", each);
  const { zones: plans, allDown } = planDisruption(counts.zones, world.timers);
  return pauseOf(plans.get(zoneOf(node)), allDown, world.timers)?.message;
}

function leaseOf(node: Node, world: World): Lease | undefined {
  return findIn(world, "leases", { namespace: nodeLeaseNamespace, name: node.metadata.name ?? "" });
}

function lookAt(node: string) {
  return [
    { does: "See what happened to the node", command: kintsugiCommand("timeline", "--node", node) },
    { does: "Switch on a killed node of this lab", command: kintsugiCommand("node", "return", node) },
  ];
}
