import type { Step } from "./step.ts";

/** The time of a fault, in milliseconds since the scenario began. */
export interface FaultWindow {
  readonly label: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A drawing with more faults than this is no longer clear. */
const windowsMax = 24;

/**
 * Returns each fault's time from its beginning to its end; an instantaneous fault has the length 0.
 */
export function faultWindows(steps: readonly Step[], durationMs: number): FaultWindow[] {
  const begins = steps.filter(({ object, what }) => object.startsWith("fault/") && what === "begins");
  const ends = steps.filter(({ object, what }) => object.startsWith("fault/") && what === "ends");
  return begins.slice(0, windowsMax).map(({ object, detail, atMs }) => {
    const [, plan = "", lasting] = /^(.*?) ?(?:\b(for \S+|forever))?$/.exec(detail) ?? [];
    const end = ends.findIndex((step) => step.object === object && step.atMs >= atMs && step.detail === plan);
    const [ended] = end < 0 ? [] : ends.splice(end, 1);
    const toMs = ended?.atMs ?? (lasting === undefined ? atMs : durationMs);
    return { label: `${object.slice("fault/".length)} ${detail}`.trim(), fromMs: atMs, toMs };
  });
}
