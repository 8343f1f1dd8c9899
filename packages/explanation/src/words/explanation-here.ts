import type { ExplainedReason, Explanation } from "../explanation.ts";
import { type ClusterWay, remediesHere } from "./command-here.ts";

/** The explanation with commands that can be run unchanged, and act on the same cluster. */
export function withCommandsHere(explanation: Explanation, way: ClusterWay): Explanation {
  return { ...explanation, reasons: explanation.reasons.map((reason) => inReason(reason, way)) };
}

function inReason(reason: ExplainedReason, way: ClusterWay): ExplainedReason {
  if (reason.remedies === undefined) return reason;
  const { remedies, ...rest } = reason;
  const usable = remediesHere(remedies, way);
  return usable.length === 0 ? rest : { ...rest, remedies: usable };
}
