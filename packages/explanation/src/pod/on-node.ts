import {
  countedNoun,
  formatDuration,
  isPodBound,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  noExecuteTaints,
  type Pod,
} from "@kintsugi/api";
import { exposedForMs, planEviction } from "@kintsugi/rules";
import type { ExplainedReason } from "../explanation.ts";
import { budgetReasons, budgetsOf } from "../others/budget.ts";
import { nodeHealthReasons } from "../node/health.ts";
import { listed, singleLine, aboutObject } from "../words/phrases.ts";
import { dueOf } from "../words/times.ts";
import { findIn, type World } from "../world.ts";
import { afterwards } from "./removal.ts";

/** Explains the problem of the pod's node, and when the pod is evicted from it. */
export function podOnNodeReasons(pod: Pod, world: World): ExplainedReason[] {
  if (!isPodBound(pod) || isPodTerminal(pod)) return [];
  const node = findIn(world, "nodes", { name: pod.spec?.nodeName ?? "" });
  if (node === undefined) return [];
  const health = nodeHealthReasons(node, world);
  if (isPodTerminating(pod)) return [];
  const taints = noExecuteTaints(node.spec?.taints);
  if (taints.length === 0) return health;
  const about = aboutObject("Pod", pod);
  const atMs = evictionMs(pod, world);
  const names = listed(taints.map(({ key }) => singleLine(key)));
  const because = `Its node ${node.metadata.name ?? ""} has ${countedNoun(taints.length, "taint")} that evict${taints.length === 1 ? "s" : ""} pods away: ${names}.`;
  if (atMs === undefined) {
    const stays = `${because} The pod tolerates ${taints.length === 1 ? "it" : "them"} without a limit.`;
    return [...health, { code: "PodStays", about, because: stays, next: "The pod remains on the node." }];
  }
  const isNow = atMs <= world.nowMs;
  return [
    ...health,
    ...(isNow ? holdingBudgets(pod, world) : []),
    {
      code: "PodLeaves",
      about,
      because: isNow ? `${because} The time for which it tolerates this is over.` : because,
      awaits: isNow ? "its deletion, which is due" : "the end of its toleration, or the removal of the taint",
      ...(isNow ? {} : dueOf(atMs, "toleration")),
      next: `The pod is deleted. ${afterwards(pod, world)}`,
      remedies: [
        {
          does: `Set a toleration that differs from ${formatDuration(world.timers.defaultTolerationSeconds * 1000)} for the pods of a workload: set tolerationSeconds in its template`,
        },
      ],
    },
  ];
}

/** The budgets that keep a Ready pod on its node, where the controller respects budgets. */
function holdingBudgets(pod: Pod, world: World): ExplainedReason[] {
  if (world.timers.evictionPdbPolicy !== "respect" || !isPodReady(pod)) return [];
  return budgetsOf(pod, world).flatMap((budget) => budgetReasons(budget, world));
}

/** The time at which the pod is evicted from its tainted node, by the clock of the API's times. */
export function evictionMs(pod: Pod, world: World): number | undefined {
  const node = findIn(world, "nodes", { name: pod.spec?.nodeName ?? "" });
  if (node === undefined) return undefined;
  return planEviction(pod, node, (taint) => world.nowMs - exposedForMs(pod, taint, world.nowMs))?.atMs;
}
