import { SeededRandom } from "@kintsugi/clock/testing";
import type { Scenario } from "@kintsugi/simulation";
import { wantedPodsMax } from "./little-room.ts";

const quotaShare = 0.3;
/** This is far from every seed that is used, and from the other seeds of a run. */
const quotaSeedOffset = 0x50000000;
/** The share of all wanted pods that a short quota allows. */
const allowedShare = 0.6;
/** Pods that are replaced count until their grace has ended, and daemons are one for each node. */
const spare = 60;

/**
 * The same run with a quota of all its pods, where the random source decides so. It is short where
 * nothing has to be whole in the end; otherwise it has room for every pod and for its successor.
 */
export function withQuota(drawn: Scenario): Scenario {
  if (new SeededRandom(drawn.seed + quotaSeedOffset).float() >= quotaShare) return drawn;
  const wanted = wantedPodsMax(drawn);
  const pods = drawn.mode === "liveness" ? 2 * wanted + spare : Math.max(1, Math.floor(allowedShare * wanted));
  return { ...drawn, world: { ...drawn.world, quota: { pods } } };
}
