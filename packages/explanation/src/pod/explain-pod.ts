import { findCondition, isPodBound, isPodReady, isPodTerminating, type Pod } from "@kintsugi/api";
import { byImportance, type ExplainedReason } from "../explanation.ts";
import type { World } from "../world.ts";
import { containerReasons } from "./containers.ts";
import { terminatingReasons } from "./end.ts";
import { healthReasons } from "./health.ts";
import { podOnNodeReasons } from "./on-node.ts";
import { pendingReasons } from "./pending.ts";
import { removalReasons } from "./removal.ts";

/** All reasons why the pod is not in its desired state, the most important first. */
export function podReasons(pod: Pod, world: World): ExplainedReason[] {
  const ending = isPodTerminating(pod) || pod.metadata.deletionTimestamp !== undefined;
  if (ending)
    return byImportance([
      ...terminatingReasons(pod, world),
      ...removalReasons(pod, world),
      ...podOnNodeReasons(pod, world),
    ]);
  return byImportance([
    ...removalReasons(pod, world),
    ...pendingReasons(pod, world),
    ...podOnNodeReasons(pod, world),
    ...containerReasons(pod, world),
    ...healthReasons(pod, world),
  ]);
}

/** "Pending", "Running and ready", "Running, not ready". */
export function podState(pod: Pod): string {
  const { phase = "Pending" } = pod.status ?? {};
  const place = isPodBound(pod) ? ` on node ${pod.spec?.nodeName ?? ""}` : "";
  if (pod.metadata.deletionTimestamp !== undefined) return `being deleted${place}`;
  if (phase !== "Running") return `${phase}${place}`;
  const ready = findCondition(pod.status?.conditions, "Ready");
  return `Running${place}, ${isPodReady(pod) ? "ready" : `not ready${ready?.lastTransitionTime ? ` since ${ready.lastTransitionTime}` : ""}`}`;
}
