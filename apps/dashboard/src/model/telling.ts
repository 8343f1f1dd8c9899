import type { TimelineEntry } from "@kintsugi/api";

/**
 * Reports whether a step tells people something: of the many conditions only Ready, and others when
 * they turn bad; the rest is in the timeline of the command line.
 */
export function isTelling({ what, detail, kind }: Pick<TimelineEntry, "what" | "detail" | "kind">): boolean {
  if (what !== "condition") return what !== "phase" || !detail.startsWith("Pending");
  if (detail.startsWith("Ready=")) return true;
  return kind === "Node" ? detail.includes("=True") : detail.startsWith("PodScheduled=False");
}
