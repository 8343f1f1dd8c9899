import { SeededRandom } from "@kintsugi/clock/simulated";
import type { Scenario } from "@kintsugi/simulation";
import { wantedPodsMax } from "./little-room.ts";

const quotaShare = 0.3;
/** Far from all seeds in use, and from the other seeds of a run. */
const quotaSeedOffset = 0x50000000;
/** The share of all wanted pods that a short quota allows. */
const allowedShare = 0.6;
/**
 * Pods that are replaced count until their grace period has ended, and each node has one daemon.
 */
const spare = 60;

/**
 * Returns the run with a quota of all its pods, if the random source decides so. The quota is short
 * if nothing has to recover in the end; otherwise it allows every pod and its successor.
 */
export function withQuota(drawn: Scenario): Scenario {
  if (new SeededRandom(drawn.seed + quotaSeedOffset).float() >= quotaShare) return drawn;
  const wanted = wantedPodsMax(drawn);
  const pods = drawn.mode === "liveness" ? 2 * wanted + spare : Math.max(1, Math.floor(allowedShare * wanted));
  return { ...drawn, world: { ...drawn.world, quota: { pods } } };
}
