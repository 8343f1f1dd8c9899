import type { Lane } from "@kintsugi/story";
import type { RunningTimer } from "../../model/running-timers.ts";

/**
 * Finds the lane of the current event: the lane of the next timer, or of a node that has just
 * changed.
 */
export function sceneOf(
  lanes: readonly Lane[],
  {
    runningTimers,
    nodeOf,
  }: { runningTimers: readonly RunningTimer[]; nodeOf: (pod: RunningTimer["about"]) => string | undefined },
): string | undefined {
  for (const { about } of runningTimers) {
    if (about.kind === "Node") return about.name;
    const node = about.kind === "Pod" ? nodeOf(about) : undefined;
    if (node !== undefined) return node;
  }
  return lanes.find(({ node, spans }) => node !== "" && isBroken(spans.at(-1)?.state))?.node;
}

function isBroken(state: Lane["spans"][number]["state"] | undefined): boolean {
  return state === "silent" || state === "notReady";
}
