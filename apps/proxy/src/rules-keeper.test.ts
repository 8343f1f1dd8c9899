import { expect, test } from "vitest";
import { proxiedNode } from "./testing/proxied-node.ts";
import { aService, slice } from "./testing/service-builders.ts";

test("unused chains are emptied immediately and deleted when the kernel releases them", async () => {
  const world = proxiedNode();
  world.put("services", aService());
  world.put("endpointslices", slice("10.1.0.1", "10.1.0.2"));
  await world.start();
  const ours = () => world.nft.chainNames.filter((name) => /^(service|endpoint)-[A-Z2-7]{8}-/.test(name));
  expect(ours()).toHaveLength(3);
  await world.clock.advance(1_000);
  world.remove("services", aService());
  await world.clock.advance(100);
  expect(ours().flatMap((name) => world.nft.chain(name))).toEqual([]);
  await world.clock.advance(30_000);
  expect(ours()).toEqual([]);
  expect(world.seen["kubeproxy_sync_proxy_rules_nftables_sync_failures_total"]).toBeUndefined();
});

test("a chain that is needed again before its deletion is reused", async () => {
  const world = proxiedNode();
  world.put("services", aService());
  world.put("endpointslices", slice("10.1.0.1"));
  await world.start();
  world.put("endpointslices", slice());
  await world.clock.advance(1_000);
  world.put("endpointslices", slice("10.1.0.1"));
  await world.clock.advance(60_000);
  expect(world.leadsTo()).toEqual(["10.1.0.1"]);
});

test("while writes fail the old rules remain, retries become rarer, and then all changes are written", async () => {
  const world = proxiedNode();
  world.put("services", aService());
  world.put("endpointslices", slice("10.1.0.1"));
  const proxy = await world.start();
  await world.clock.advance(1_000);
  world.nft.failure = "Cannot allocate memory";
  world.put("endpointslices", slice("10.1.0.2"));
  await world.clock.advance(120_000);
  expect(world.leadsTo()).toEqual(["10.1.0.1"]);
  expect(proxy.state.waitingSinceMs).toBe(1_000);
  expect(world.seen["kubeproxy_sync_proxy_rules_nftables_sync_failures_total"]?.length).toBeLessThan(14);
  world.nft.failure = undefined;
  await world.clock.advance(30_000);
  expect(world.leadsTo()).toEqual(["10.1.0.2"]);
  expect(proxy.state.waitingSinceMs).toBeUndefined();
});

test("a table from which another program deleted something is repaired, and a table that cannot be repaired is replaced", async () => {
  const world = proxiedNode();
  world.put("services", aService());
  world.put("endpointslices", slice("10.1.0.1", "10.1.0.2"));
  await world.start();
  await world.clock.advance(1_000);
  world.nft.tamper(({ chains, elements }) => {
    for (const name of chains.keys()) if (name.includes("10.1.0.2")) chains.delete(name);
    elements.get("service-ips")?.clear();
  });
  world.put("endpointslices", slice("10.1.0.1"));
  await world.clock.advance(10_000);
  expect(world.leadsTo()).toEqual(["10.1.0.1"]);
});
