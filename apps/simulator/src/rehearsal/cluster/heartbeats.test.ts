import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { MemoryStore } from "@kintsugi/store/simulated";
import { expect, test } from "vitest";
import { Heartbeats } from "./heartbeats.ts";
import type { RehearsedNode } from "./rehearsed-node.ts";

const renewIntervalMs = 10_000;

async function aBeating(graceMs: number) {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  const heartbeats = new Heartbeats(
    { clock, random: new SeededRandom(1), store, isReachable: () => true },
    { renewIntervalMs, durationMs: 40_000, graceMs },
  );
  const renewedMs: number[] = [];
  await heartbeats.begin([{ node: { name: "node-1", isAsleep: true } as RehearsedNode, uid: "uid-1" }]);
  store.subscribe((changes) => renewedMs.push(...changes.map(() => clock.monotonicMs())));
  return { clock, heartbeats, gapsMs: () => renewedMs.slice(1).map((atMs, index) => atMs - (renewedMs[index] ?? 0)) };
}

test("a sleeping node's Lease is renewed as often as its kubelet would renew it", async () => {
  const { clock, gapsMs } = await aBeating(40_000);
  await clock.advance(600_000);
  expect(new Set(gapsMs())).toEqual(new Set([renewIntervalMs]));
});

test.each([
  [40_000, 30_000],
  [50_000, 40_000],
  [15_000, 10_000],
])("with %i ms of grace, a Lease that no lost node needs is renewed every %i ms", async (graceMs, everyMs) => {
  const { clock, heartbeats, gapsMs } = await aBeating(graceMs);
  heartbeats.thinOut();
  await clock.advance(600_000);
  expect(new Set(gapsMs())).toEqual(new Set([everyMs]));
});
