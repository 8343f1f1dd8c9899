import type { PodsOverTime } from "./frame.ts";

/** The counts and faults up to a time. */
export function podsUntil({ samples, faults }: PodsOverTime, nowMs: number): PodsOverTime {
  const past = samples.filter(({ atMs }) => atMs <= nowMs);
  const begun = faults.filter(({ fromMs }) => fromMs <= nowMs);
  return {
    samples: past,
    faults: begun.map((fault) => ({ ...fault, toMs: Math.min(nowMs, fault.toMs ?? nowMs) })),
  };
}
