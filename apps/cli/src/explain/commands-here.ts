import type { ExplainedReason, Explanation } from "@kintsugi/explanation";
import { type ClusterWay, commandHere } from "@kintsugi/explanation/commands";

/** The explanation with commands that can be run unchanged, and act on the same cluster. */
export function withCommandsHere(explanation: Explanation, way: ClusterWay): Explanation {
  return { ...explanation, reasons: explanation.reasons.map((reason) => inReason(reason, way)) };
}

function inReason(reason: ExplainedReason, way: ClusterWay): ExplainedReason {
  if (reason.remedies === undefined) return reason;
  const { remedies, ...rest } = reason;
  const usable = remedies.flatMap((remedy) => {
    if (remedy.command === undefined) return [remedy];
    const command = commandHere(remedy.command, way);
    return command === undefined ? [] : [{ ...remedy, command }];
  });
  return usable.length === 0 ? rest : { ...rest, remedies: usable };
}
