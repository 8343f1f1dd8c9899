import { ApiError, type Lease, leases, nodes, silentLogger } from "@kintsugi/api";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { LeaseRenewer } from "./lease-renewer.ts";

/** A node that has renewed its Lease, and whose API server then was down for a minute. */
async function afterOutage({ renewIntervalMs } = { renewIntervalMs: 10_000 }) {
  const clock = new VirtualClock();
  const deps = { clock, random: new SeededRandom(1) };
  const api = new MemoryApi(deps, [leases, nodes]);
  const client = createInProcessClient({ ...deps, handler: api }, { identity: { name: "node-1", groups: [] } });
  const stop = new AbortController();
  const renewer = new LeaseRenewer(
    { client, clock, log: silentLogger, onRevisions: () => {}, onDate: () => {}, onRenewed: () => {} },
    { nodeName: "node-1", durationMs: 40_000, renewIntervalMs },
  );
  const running = renewer.run(stop.signal);
  const revision = () => Number(api.log.find("leases", "kube-node-lease", "node-1")?.metadata.resourceVersion);
  await clock.advance(1000);
  const before = revision();
  api.isDown = true;
  await clock.advance(60_000);
  // The next pause has just begun when an attempt, with its own retries, has just failed.
  const asked = api.requests.length;
  while (api.requests.length === asked) await clock.advance(100);
  await clock.advance(2000);
  api.isDown = false;
  return {
    clock,
    client,
    isRenewed: () => revision() > before,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await clock.settle();
      await running;
    },
  };
}

test("a Lease is renewed immediately when another call of its node succeeds after an outage", async () => {
  await using node = await afterOutage();
  await node.clock.advance(1000);
  expect(node.isRenewed()).toBe(false);
  await node.client.find(nodes, { namespace: "", name: "node-1" });
  await node.clock.settle();
  expect(node.isRenewed()).toBe(true);
});

test("without other calls the server is tried again after a pause of up to 7 s", async () => {
  await using node = await afterOutage();
  await node.clock.advance(7000);
  expect(node.isRenewed()).toBe(true);
});

test("a Lease that must be renewed every second is not paused for longer", async () => {
  await using node = await afterOutage({ renewIntervalMs: 1000 });
  await node.clock.advance(1000);
  expect(node.isRenewed()).toBe(true);
});

test("a Lease that another client has written is read and renewed again immediately, but not forever", async () => {
  const clock = new VirtualClock();
  const lease: Lease = { metadata: { name: "node-1", namespace: "kube-node-lease", ownerReferences: [] } };
  const triedMs: number[] = [];
  const refuse = async (): Promise<never> => {
    triedMs.push(clock.monotonicMs());
    throw new ApiError("Conflict", "the object has been modified");
  };
  const client = { find: async () => lease, update: refuse, onReturn: () => () => {} } as unknown as Client;
  const stop = new AbortController();
  const renewer = new LeaseRenewer(
    { client, clock, log: silentLogger, onRevisions: () => {}, onDate: () => {}, onRenewed: () => {} },
    { nodeName: "node-1", durationMs: 40_000, renewIntervalMs: 10_000 },
  );
  const running = renewer.run(stop.signal);
  await clock.advance(500);
  expect(triedMs).toEqual([0, 0, 0, 0, 0, 0, 200]);
  stop.abort();
  await running;
});
