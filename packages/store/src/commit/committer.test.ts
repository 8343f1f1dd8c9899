import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { MemoryStore } from "../simulated/memory-store.ts";
import { putOf } from "../testing/changes.ts";
import { burstMax, gatherMs } from "./committer.ts";

/** Sends heartbeats for ten seconds. Returns the batches and the longest wait. */
async function heartbeats(perSecond: number): Promise<{ batches: number; longestMs: number }> {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  let batches = 0;
  let longestMs = 0;
  store.subscribe(() => batches++);
  const answers: Promise<void>[] = [];
  for (let i = 0; i < 10 * perSecond; i++) {
    const key = `coordination.k8s.io/leases/kube-node-lease/node-${i}`;
    const sentMs = clock.monotonicMs();
    const answer = store.update(key, () => putOf(key, i), { patient: true });
    answers.push(answer.then(() => void (longestMs = Math.max(longestMs, clock.monotonicMs() - sentMs))));
    await clock.advance(1000 / perSecond);
  }
  await clock.advance(gatherMs);
  await Promise.all(answers);
  await store.close();
  return { batches, longestMs };
}

test("heartbeats of five thousand nodes need some fifty syncs a second, and a dozen nodes' heartbeats do not wait", async () => {
  const many = await heartbeats(500);
  expect(many.batches).toBeLessThanOrEqual(10_000 / gatherMs + burstMax + 1);
  expect(many.longestMs).toBeLessThanOrEqual(gatherMs);
  expect(await heartbeats(2)).toEqual({ batches: 20, longestMs: 0 });
});
