import type { TimelineEntry } from "@kintsugi/api";

/**
 * Reports whether a step is informative for people. Of a node's conditions, only Ready is
 * informative, and other conditions when they become bad. The timeline of the command line contains
 * all steps.
 */
export function isTelling({ what, detail, kind }: Pick<TimelineEntry, "what" | "detail" | "kind">): boolean {
  if (what !== "condition") return what !== "phase" || !detail.startsWith("Pending");
  if (detail.startsWith("Ready=")) return true;
  return kind === "Node" ? detail.includes("=True") : detail.startsWith("PodScheduled=False");
}
