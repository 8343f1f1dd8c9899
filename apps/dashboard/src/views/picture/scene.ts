import type { Lane } from "@kintsugi/story";
import type { Ghost } from "../../model/ghosts.ts";

/**
 * Finds the lane of what happens now: that of the next timer, or of a node that has just changed.
 */
export function sceneOf(
  lanes: readonly Lane[],
  { ghosts, nodeOf }: { ghosts: readonly Ghost[]; nodeOf: (pod: Ghost["about"]) => string | undefined },
): string | undefined {
  for (const { about } of ghosts) {
    if (about.kind === "Node") return about.name;
    const node = about.kind === "Pod" ? nodeOf(about) : undefined;
    if (node !== undefined) return node;
  }
  return lanes.find(({ node, spans }) => node !== "" && isBroken(spans.at(-1)?.state))?.node;
}

function isBroken(state: Lane["spans"][number]["state"] | undefined): boolean {
  return state === "silent" || state === "notReady";
}
