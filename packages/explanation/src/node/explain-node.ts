import {
  countedNoun,
  findCondition,
  isPodTerminal,
  isPodTerminating,
  type Node,
  noExecuteTaints,
  type Pod,
} from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { evictionMs } from "../pod/on-node.ts";
import { kintsugiCommand, kubectlCommand } from "../words/commands.ts";
import { finalizerReasons } from "../words/finalizers.ts";
import { grouped } from "../words/grouped.ts";
import { listed, singleLine, aboutObject, withText } from "../words/phrases.ts";
import { dueOf, sinceOf } from "../words/times.ts";
import { listOf, type World } from "../world.ts";
import { maintenanceReasons } from "./maintenance.ts";
import { nodeHealthReasons } from "./health.ts";

const outOfService = "node.kubernetes.io/out-of-service";
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"];
/** Taints that repeat a condition of the node. */
const repeatsCondition =
  /^node\.kubernetes\.io\/(not-ready|unreachable|unschedulable|(memory|disk|pid)-pressure|network-unavailable)$/;

/** Explains why a node is not ready, does not accept pods, or loses its pods. */
export function nodeReasons(node: Node, world: World): ExplainedReason[] {
  const about = aboutObject("Node", node);
  const deleted = node.metadata.deletionTimestamp !== undefined;
  return [
    ...(deleted ? finalizerReasons(about, node.metadata.finalizers ?? []) : []),
    ...nodeHealthReasons(node, world),
    ...leavingReasons(node, world),
    ...maintenanceReasons(node, world),
    ...pressureReasons(node),
    ...taintReasons(node),
  ];
}

export function nodeState(node: Node): string {
  const ready = findCondition(node.status?.conditions, "Ready")?.status;
  const words = { True: "ready", False: "not ready", Unknown: "silent" }[ready ?? "Unknown"];
  return `${ready === undefined ? "new" : words}${node.spec?.unschedulable === true ? ", cordoned" : ""}`;
}

/** The pods that the node's taints evict, grouped by the time of their eviction. */
function leavingReasons(node: Node, world: World): ExplainedReason[] {
  if (noExecuteTaints(node.spec?.taints).length === 0) return [];
  const about = aboutObject("Node", node);
  const pods = podsOn(node, world);
  const byTime = grouped(
    pods.filter((pod) => !isPodTerminating(pod)),
    (pod) => evictionMs(pod, world),
  );
  const times = [...byTime.keys()].toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity));
  const reasons = times.map((atMs): ExplainedReason => {
    const group = byTime.get(atMs) ?? [];
    const names = listed(group.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    const who = `${countedNoun(group.length, "pod")} (${names})`;
    if (atMs === undefined) {
      const because = `${who} tolerate${group.length === 1 ? "s" : ""} the node's taints without a limit, and remain${group.length === 1 ? "s" : ""}.`;
      return { code: "PodStays", about, because };
    }
    const isNow = atMs <= world.nowMs;
    const because = `${who} ${group.length === 1 ? "has" : "have"} to be evicted from the node${isNow ? " now" : ", unless it becomes ready first"}.`;
    const next =
      "The pods' controllers create replacements on other nodes; a StatefulSet waits until the node is known to be off.";
    return { code: "PodLeaves", about, because, ...(isNow ? {} : dueOf(atMs, "toleration")), next };
  });
  const ending = pods.filter(isPodTerminating);
  if (ending.length > 0 && findCondition(node.status?.conditions, "Ready")?.status !== "True") {
    const names = listed(ending.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    reasons.push({
      code: "KubeletSilent",
      about,
      because: `${countedNoun(ending.length, "pod")} (${names}) ${ending.length === 1 ? "was" : "were"} deleted, but the node cannot confirm that ${ending.length === 1 ? "it has" : "they have"} stopped.`,
      awaits: "the node to be ready again, or to be declared off",
      remedies: [
        {
          does: "Declare that the machine is off, if it is",
          command: kubectlCommand("", "taint", "node", about.name, `${outOfService}=nodeshutdown:NoExecute`),
        },
        { does: "Do the same for a killed node of this lab", command: kintsugiCommand("node", "fence", about.name) },
      ],
    });
  }
  return reasons;
}

function pressureReasons(node: Node): ExplainedReason[] {
  const about = aboutObject("Node", node);
  return (node.status?.conditions ?? [])
    .filter(({ type, status }) => pressures.includes(type) && status === "True")
    .map(({ type, message, lastTransitionTime }) => ({
      code: "Pressure",
      about,
      because: `Node ${about.name} has ${singleLine(type)}${withText(message)}.`,
      ...sinceOf(lastTransitionTime),
      awaits: "its kubelet to have enough of the resource again",
      next: "Until then, the scheduler avoids the node, and its kubelet may evict pods.",
    }));
}

/** Taints of administrators and of other programs. */
function taintReasons(node: Node): ExplainedReason[] {
  const about = aboutObject("Node", node);
  return (node.spec?.taints ?? [])
    .filter(({ key }) => !repeatsCondition.test(key))
    .map(({ key, value, effect, timeAdded }) => ({
      code: "Tainted",
      about,
      because: `Only pods that tolerate the taint ${singleLine(key)}${value ? `=${singleLine(value)}` : ""}:${effect} ${effect === "NoExecute" ? "may be" : "are placed"} on node ${about.name}.`,
      ...sinceOf(timeAdded),
      remedies: [
        { does: "Remove the taint", command: kubectlCommand("", "taint", "node", about.name, `${key}:${effect}-`) },
      ],
    }));
}

/** The pods on the node that have not ended. */
function podsOn(node: Node, world: World): Pod[] {
  return listOf(world, "pods").filter((pod) => pod.spec?.nodeName === node.metadata.name && !isPodTerminal(pod));
}
