import fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelNft } from "./testing/model-nft.ts";
import { proxiedNode, registeredNode } from "./testing/proxied-node.ts";
import { aService, aSlice, anEndpoint, slice } from "./testing/service-builders.ts";

test("rules follow Services and endpoints as soon as both are listed", async () => {
  const world = proxiedNode();
  world.put("services", aService());
  const proxy = await world.start();
  expect(world.nft.elements("no-endpoint-services")).toEqual(["10.96.0.10 . tcp . 80 : goto reject-chain"]);
  expect(world.nft.elements("nodeport-ips")).toEqual([]);
  world.put("nodes", registeredNode());
  world.put("endpointslices", slice("10.1.0.1", "10.1.0.2"));
  await world.clock.advance(100);
  expect(world.leadsTo()).toEqual(["10.1.0.1", "10.1.0.2"]);
  expect(world.nft.elements("nodeport-ips")).toEqual(["192.0.2.1"]);
  world.put("endpointslices", slice("10.1.0.1", "-10.1.0.2"));
  await world.clock.advance(100);
  expect(world.leadsTo()).toEqual(["10.1.0.1"]);
  world.remove("services", aService());
  await world.clock.advance(100);
  expect(world.leadsTo()).toBeUndefined();
  expect(proxy.state).toMatchObject({ synced: true, waitingSinceMs: undefined, nodeEligible: true });
});

test("the directory of names uses the same objects as the rules, and is synced as soon as they are", async () => {
  const world = proxiedNode();
  world.put("services", aService());
  const proxy = await world.start();
  expect([proxy.directory.synced, proxy.node().addresses]).toEqual([true, []]);
  expect(proxy.directory.withAddress("10.96.0.10").map(({ metadata }) => metadata.name)).toEqual(["web"]);
  world.put("nodes", registeredNode());
  world.put("endpointslices", slice("10.1.0.1", "-10.1.0.2"));
  await world.clock.settle();
  expect(proxy.node()).toMatchObject({ addresses: ["192.0.2.1"], podCidr: "10.1.0.0/24" });
  expect(proxy.directory.readyEndpoints(aService()).map(({ address }) => address)).toEqual(["10.1.0.1"]);
  expect(proxy.directory.endpointsAt("10.1.0.1").map(({ hostname }) => hostname)).toEqual(["10-1-0-1"]);
  world.remove("services", aService());
  await world.clock.settle();
  expect(proxy.directory.hasNamespace("ns")).toBe(false);
});

test("a change is written immediately after a quiet period, and then no earlier than the shortest period", async () => {
  const world = proxiedNode({ minSyncPeriodMs: 1_000 });
  world.put("services", aService());
  await world.start();
  await world.clock.advance(5_000);
  world.put("endpointslices", slice("10.1.0.1"));
  await world.clock.settle();
  expect(world.leadsTo()).toEqual(["10.1.0.1"]);
  for (const more of ["10.1.0.2", "10.1.0.3", "10.1.0.4"]) {
    world.put("endpointslices", slice("10.1.0.1", more));
    await world.clock.advance(200);
  }
  expect(world.leadsTo()).toEqual(["10.1.0.1"]);
  const before = world.nft.scripts.length;
  await world.clock.advance(1_000);
  expect(world.leadsTo()).toEqual(["10.1.0.1", "10.1.0.4"]);
  expect(world.nft.scripts.length).toBe(before + 1);
});

test("a node's heartbeat does not cause a write, and the table is not written until it is due", async () => {
  const world = proxiedNode();
  world.put("nodes", registeredNode());
  world.put("services", aService());
  await world.start();
  await world.clock.advance(5_000);
  const before = world.nft.scripts.length;
  for (let i = 0; i < 5; i++) {
    world.put("nodes", {
      ...registeredNode(),
      status: { ...registeredNode().status, nodeInfo: { bootID: String(i) } },
    });
    await world.clock.advance(60_000);
  }
  expect(world.nft.scripts.length).toBe(before);
  world.nft.tamper(({ elements }) => elements.get("no-endpoint-services")?.clear());
  await world.clock.advance(3_600_000);
  expect(world.nft.elements("no-endpoint-services")).toHaveLength(1);
});

test("a proxy that is killed leaves its rules, and a restarted proxy continues from them, including clients", async () => {
  const world = proxiedNode();
  const sticky = aService({ sessionAffinity: "ClientIP" });
  world.put("services", sticky);
  world.put("endpointslices", slice("10.1.0.1", "10.1.0.2"));
  await world.start();
  const set = () =>
    world.nft.chain(world.nft.chainNames.find((name) => name.includes("10.1.0.1")) ?? "")?.[1]?.split(" ")[1];
  const name = set()?.slice(1) ?? "";
  world.nft.tamper(({ elements }) => elements.get(name)?.add("203.0.113.9"));
  world.kill();
  await world.clock.advance(1_000);
  expect(world.leadsTo()).toContain("10.1.0.1");
  world.put("endpointslices", slice("10.1.0.1"));
  await world.start();
  expect(world.leadsTo()).toEqual(["10.1.0.1"]);
  expect(world.nft.elements(name)).toEqual(["203.0.113.9"]);
  await world.clock.advance(60_000);
  expect(world.nft.chainNames.filter((chain) => chain.includes("10.1.0.2"))).toEqual([]);
});

test("when a proxy's own program fails, no part of it continues while the process exits", async () => {
  const world = proxiedNode();
  world.put("services", aService({ ports: [null as never] }));
  await world.start();
  expect(await world.ended()).toBeInstanceOf(TypeError);
  world.api.endWatches();
  const before = world.api.requests.length;
  await world.clock.advance(60_000);
  expect(world.api.requests.slice(before)).toEqual([]);
});

test("after any changes, the final table equals the table of a freshly started proxy", async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("slice"), ends: fc.uniqueArray(fc.integer({ min: 1, max: 4 })), of: fc.nat(1) }),
    fc.record({ do: fc.constantFrom("service", "remove", "wait", "long", "kill", "fail", "heal"), of: fc.nat(1) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = proxiedNode();
      const nameOf = (of: number) => (of === 0 ? "a" : "b");
      const service = (of: number) =>
        aService(
          { clusterIP: `10.96.0.${of + 1}`, sessionAffinity: of === 0 ? "ClientIP" : "None" },
          { name: nameOf(of) },
        );
      await world.start();
      for (const each of steps) {
        if (each.do === "slice" && "ends" in each)
          world.put("endpointslices", {
            ...aSlice(
              each.ends.map((i) => anEndpoint(`10.1.0.${i}`)),
              { service: nameOf(each.of), name: nameOf(each.of) },
            ),
          });
        if (each.do === "service") world.put("services", service(each.of));
        if (each.do === "remove" && world.api.log.find("services", "ns", nameOf(each.of)))
          world.remove("services", service(each.of));
        if (each.do === "wait") await world.clock.advance(300);
        if (each.do === "long") await world.clock.advance(40_000);
        if (each.do === "kill") {
          world.kill();
          await world.start();
        }
        if (each.do === "fail") world.nft.failure = "planted";
        if (each.do === "heal") world.nft.failure = undefined;
      }
      world.nft.failure = undefined;
      await world.clock.advance(120_000);
      const state = (nft: ModelNft) =>
        Object.fromEntries(nft.chainNames.toSorted().map((name) => [name, nft.chain(name)]));
      const elements = (nft: ModelNft) =>
        ["service-ips", "no-endpoint-services", "cluster-ips"].map((name) => nft.elements(name).toSorted());
      const found = [state(world.nft), elements(world.nft)];
      world.kill();
      world.nft.tamper(({ chains, elements: all }) => {
        chains.clear();
        all.clear();
      });
      await world.start();
      await world.clock.advance(1_000);
      expect(found).toEqual([state(world.nft), elements(world.nft)]);
      world.kill();
    }),
    { numRuns: 40 },
  );
});
