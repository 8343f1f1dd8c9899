import { countedNoun } from "@kintsugi/api";

/** "0s", "1.2s", "47s", "5m53s", "2h4m"; a nonzero time is never "0s". */
export function secondsText(ms: number): string {
  if (ms > 0 && ms < 50) return "<0.1s";
  if (ms < 10_000) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

/**
 * Returns the rules of the scheduler, "2 nodes: Insufficient cpu", without the number of all nodes,
 * the lost nodes, and the text about preemption.
 */
export function shortRefusal(message: string): string {
  const [rules = ""] = message.replace(/^\d+\/\d+ nodes are available: /, "").split(". preemption:");
  const told = rules
    .replace(/\.$/, "")
    .split(/, (?=\d+ )/)
    .filter((rule) => !rule.includes("node.kubernetes.io/unreachable"));
  return told.length === 0 ? message : told.map(ruleText).join(", ");
}

/** "2 Insufficient cpu", or "2 node(s) didn't match pod affinity rules". */
function ruleText(rule: string): string {
  const [, count = "", words = ""] = /^(\d+) (?:node\(s\) )?(.*)$/.exec(rule) ?? [];
  return count === "" ? rule : `${countedNoun(Number(count), "node")}: ${words}`;
}

/** If this share of the runs does not end, the p95 does not end either. */
export const endlessShare = 0.05;

/** A downtime that does not end has no length, because a run ends at an arbitrary time. */
export function lastingText(ms: number, endless: number): string {
  return endless > endlessShare ? "forever" : `for ${secondsText(ms)}`;
}
