import { formatDuration } from "@kintsugi/api";
import type { PlannedFault } from "../scenario/scenario.ts";
import type { FaultPhase } from "./run-observer.ts";
import type { Step } from "./step.ts";

/** A planned fault as a step of the timeline. */
export function faultStep(planned: PlannedFault, phase: FaultPhase, atMs: number): Step {
  const { fault, target, forMs, stays, with: settings = {} } = planned;
  const words = [
    ...(target === undefined ? [] : [target]),
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ...(phase === "begins" && forMs !== undefined ? [`for ${formatDuration(forMs)}`] : []),
    ...(phase === "begins" && stays === true ? ["forever"] : []),
    ...(phase === "misses" ? ["finds no target"] : []),
  ];
  return { atMs, object: `fault/${fault}`, what: phase, detail: words.join(" ") };
}
