import { pods, replicaSets } from "@kintsugi/api";
import { aReplicaSet, Incarnation, Wire } from "@kintsugi/simulation";
import { expect, test } from "vitest";
import { startVirtualCluster } from "@kintsugi/simulator/factory";

/**
 * A run with a bit of everything: placement, a dead node, replacements, its return, new leaders.
 */
async function traceOf(seed: number, frozen = false): Promise<{ digest: string; length: number }> {
  await using cluster = await startVirtualCluster({ profile: "fast", seed, frozen });
  await cluster.client.create(replicaSets, aReplicaSet("web", 6));
  await cluster.advance(5_000);
  cluster.killNode("node-2");
  cluster.controllerManager.kill();
  await cluster.advance(3_000);
  cluster.controllerManager.start();
  await cluster.advance(30_000);
  cluster.returnNode("node-2");
  cluster.partition("node-3");
  await cluster.advance(10_000);
  cluster.heal("node-3");
  await cluster.advance(30_000);
  return { digest: cluster.trace.digest(), length: cluster.trace.length };
}

test("no informer's shared object is modified: a run with frozen objects is the same", async () => {
  expect(await traceOf(9, true)).toEqual(await traceOf(9));
});

test("an additional reader has no effect: all other parts draw as before", async () => {
  const simulated = async (isWatched: boolean) => {
    await using cluster = await startVirtualCluster({ profile: "fast", seed: 9, latencyMaxMs: 20 });
    const onlooker = cluster.connectUser({
      name: "onlooker",
      wire: new Wire(),
      incarnation: new Incarnation(),
      attemptTimeoutMs: 5000,
    });
    await cluster.client.create(replicaSets, aReplicaSet("web", 6));
    for (let seconds = 0; seconds < 20; seconds++) {
      if (isWatched) await cluster.during(onlooker.list(pods));
      await cluster.advance(1000 - (cluster.nowMs % 1000));
    }
    return cluster.trace.digest();
  };
  expect(await simulated(true)).toBe(await simulated(false));
});

test("the same seed results in the same committed changes, byte for byte and at the same times; another seed results in others", async () => {
  const first = await traceOf(7);
  expect(first.length).toBeGreaterThan(200);
  expect(await traceOf(7)).toEqual(first);
  expect((await traceOf(8)).digest).not.toBe(first.digest);
});
