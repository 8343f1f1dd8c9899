import { type ApiObject, endpointSlices, type Metrics, nodes, services, silentLogger } from "@kintsugi/api";
import { createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { UdpDestinations } from "./conntrack/stale-flows.ts";
import { createProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
import { ModelNft } from "./testing/model-nft.ts";
import { aService, aSlice, anEndpoint } from "./testing/service-builders.ts";

const options: ProxyOptions = {
  nodeName: "node-1",
  guardsAllNodes: true,
  minSyncPeriodMs: 100,
  syncPeriodMs: 30_000,
  fullSyncPeriodMs: 3_600_000,
  masqueradeAll: false,
  bridgeBypassesRules: false,
};

/** The values that were set, counted, or observed, by name. */
function listeningMetrics() {
  const seen: Record<string, number[]> = {};
  const note = (name: string) => (value: number) => void (seen[name] ??= []).push(value);
  const metrics: Metrics = {
    counter: ({ name }) => ({ add: note(name), remove() {} }),
    gauge: ({ name }) => ({ set: note(name), remove() {}, reset() {} }),
    histogram: ({ name }) => ({ observe: note(name), remove() {} }),
  };
  return { metrics, seen };
}

/**
 * A node's packet filter, an API in memory, and a proxy between them that can be killed and
 * restarted.
 */
function aNode(changes: Partial<ProxyOptions> = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const api = new MemoryApi({ clock, random }, [services, endpointSlices, nodes]);
  const client = createInProcessClient({ handler: api, clock, random }, { identity: { name: "proxy", groups: [] } });
  const nft = new ModelNft(() => clock.monotonicMs());
  const { metrics, seen } = listeningMetrics();
  const forgotten: UdpDestinations[] = [];
  const conntrack = { forgetStale: async (destinations: UdpDestinations) => void forgotten.push(destinations) };
  let stop = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const start = async (): Promise<Proxy> => {
    stop = new AbortController();
    const proxy = createProxy(
      { client, clock, random, log: silentLogger, metrics, nft, conntrack, controlPlane: () => ["192.0.2.9"] },
      { ...options, ...changes },
    );
    ended = proxy.run(stop.signal).catch((error: unknown) => error);
    await clock.settle();
    return proxy;
  };
  onTestFinished(() => stop.abort());
  return {
    clock,
    api,
    nft,
    seen,
    forgotten,
    start,
    kill: () => stop.abort(),
    /** The error of the proxy that was started last; undefined where it has not failed. */
    ended: () => ended,
    put: (resource: string, object: object) => api.log.put(resource, object as ApiObject),
    remove: (resource: string, object: object) => api.log.delete(resource, object as ApiObject),
    /**
     * Returns the addresses to which the kernel's table directs the Service; undefined without a
     * rule.
     */
    leadsTo(address = "10.96.0.10 . tcp . 80") {
      const verdict = nft.elements("service-ips").find((element) => element.startsWith(`${address} : `));
      const chain = verdict?.split("goto ")[1];
      if (chain === undefined) return undefined;
      const ways = (nft.chain(chain) ?? []).filter((rule) => rule.startsWith("numgen")).join();
      return [...ways.matchAll(/__([0-9.]+)\/\d+/g)].map(([, to]) => to);
    },
  };
}

const node = (spec = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-1", labels: {} },
  spec: { podCIDR: "10.1.0.0/24", ...spec },
  status: {
    addresses: [
      { type: "InternalIP", address: "192.0.2.1" },
      { type: "Hostname", address: "node-1" },
    ],
  },
});
const slice = (...texts: string[]) => aSlice(texts.map(anEndpoint));

test("rules follow Services and endpoints as soon as both are listed", async () => {
  const world = aNode();
  world.put("services", aService());
  const proxy = await world.start();
  expect(world.nft.elements("no-endpoint-services")).toEqual(["10.96.0.10 . tcp . 80 : goto reject-chain"]);
  expect(world.nft.elements("nodeport-ips")).toEqual([]);
  world.put("nodes", node());
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
  const world = aNode();
  world.put("services", aService());
  const proxy = await world.start();
  expect([proxy.directory.synced, proxy.node().addresses]).toEqual([true, []]);
  expect(proxy.directory.withAddress("10.96.0.10").map(({ metadata }) => metadata.name)).toEqual(["web"]);
  world.put("nodes", node());
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
  const world = aNode({ minSyncPeriodMs: 1_000 });
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

test("a node's heartbeat changes nothing, and time changes nothing until the table is due", async () => {
  const world = aNode();
  world.put("nodes", node());
  world.put("services", aService());
  await world.start();
  await world.clock.advance(5_000);
  const before = world.nft.scripts.length;
  for (let i = 0; i < 5; i++) {
    world.put("nodes", { ...node(), status: { ...node().status, nodeInfo: { bootID: String(i) } } });
    await world.clock.advance(60_000);
  }
  expect(world.nft.scripts.length).toBe(before);
  world.nft.tamper(({ elements }) => elements.get("no-endpoint-services")?.clear());
  await world.clock.advance(3_600_000);
  expect(world.nft.elements("no-endpoint-services")).toHaveLength(1);
});

test("unused chains are emptied immediately and deleted when the kernel releases them", async () => {
  const world = aNode();
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
  const world = aNode();
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
  const world = aNode();
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
  const world = aNode();
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

test("a proxy that is killed leaves its rules, and a restarted proxy continues from them, including clients", async () => {
  const world = aNode();
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
  const world = aNode();
  world.put("services", aService({ ports: [null as never] }));
  await world.start();
  expect(await world.ended()).toBeInstanceOf(TypeError);
  world.api.endWatches();
  const before = world.api.requests.length;
  await world.clock.advance(60_000);
  expect(world.api.requests.slice(before)).toEqual([]);
});

test("the delay from a change to its rules is measured for changes since this process started", async () => {
  const world = aNode();
  world.put("services", aService());
  const since = (time: string) => ({ "endpoints.kubernetes.io/last-change-trigger-time": time });
  const put = (time: string, ...texts: string[]) =>
    world.put("endpointslices", aSlice(texts.map(anEndpoint), { annotations: since(time) }));
  put("2025-12-31T23:00:00Z", "10.1.0.1");
  await world.start();
  await world.clock.advance(10_000);
  put("2026-01-01T00:00:08Z", "10.1.0.2");
  await world.clock.settle();
  put("2026-01-01T00:00:08Z", "10.1.0.2", "10.1.0.3");
  await world.clock.advance(1_000);
  put("no time at all", "10.1.0.2");
  await world.clock.advance(1_000);
  expect(world.seen["kubeproxy_network_programming_duration_seconds"]).toEqual([2]);
});

test("UDP flows in the kernel are deleted when their endpoint is removed, but not when an endpoint is added", async () => {
  const world = aNode();
  world.put("nodes", node());
  const dns = {
    type: "NodePort" as const,
    ports: [{ name: "dns", port: 53, protocol: "UDP" as const, nodePort: 30053 }],
  };
  const put = (...texts: string[]) =>
    world.put(
      "endpointslices",
      aSlice(texts.map(anEndpoint), { ports: [{ name: "dns", port: 5353, protocol: "UDP" }] }),
    );
  world.put("services", aService(dns));
  put("10.1.0.1");
  await world.start();
  expect(world.forgotten).toEqual([
    new Map([
      ["10.96.0.10:53", new Set(["10.1.0.1:5353"])],
      ["192.0.2.1:30053", new Set(["10.1.0.1:5353"])],
    ]),
  ]);
  put("10.1.0.1", "10.1.0.2");
  await world.clock.advance(1_000);
  expect(world.forgotten).toHaveLength(1);
  put("10.1.0.2");
  await world.clock.advance(1_000);
  expect(world.forgotten[1]?.get("10.96.0.10:53")).toEqual(new Set(["10.1.0.2:5353"]));
});

test("a node that is about to be removed is no longer eligible", async () => {
  const world = aNode();
  const proxy = await world.start();
  expect(proxy.state.nodeEligible).toBe(true);
  world.put("nodes", node({ taints: [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }] }));
  await world.clock.settle();
  expect(proxy.state.nodeEligible).toBe(false);
});

test("whatever happens, the final table equals the table of a freshly started proxy", async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("slice"), ends: fc.uniqueArray(fc.integer({ min: 1, max: 4 })), of: fc.nat(1) }),
    fc.record({ do: fc.constantFrom("service", "remove", "wait", "long", "kill", "fail", "heal"), of: fc.nat(1) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = aNode();
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

test("Nodes are watched while a Service has an external address, and none of their addresses is routed to another place", async () => {
  const world = aNode();
  const external = (...externalIPs: string[]) => aService({ externalIPs });
  const other = (address: string) => ({
    ...node(),
    metadata: { name: "node-2" },
    status: { addresses: [{ type: "InternalIP", address }] },
  });
  world.put("nodes", node());
  world.put("nodes", other("192.0.2.2"));
  world.put("endpointslices", slice("10.1.0.1"));
  world.put("services", external("198.51.100.7", "192.0.2.1", "192.0.2.2", "192.0.2.9"));
  await world.start();
  await world.clock.advance(200);
  const led = () =>
    ["198.51.100.7", "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.9"].filter((address) =>
      world.nft.elements("service-ips").some((element) => element.startsWith(`${address} . tcp . 80 : `)),
    );
  expect(led()).toEqual(["198.51.100.7"]);

  world.put("services", external("198.51.100.7", "192.0.2.3"));
  await world.clock.advance(200);
  expect(led()).toEqual(["198.51.100.7", "192.0.2.3"]);
  world.put("nodes", other("192.0.2.3"));
  await world.clock.advance(200);
  expect(led()).toEqual(["198.51.100.7"]);

  world.put("services", aService());
  await world.clock.advance(200);
  expect(led()).toEqual([]);
  world.put("services", external("192.0.2.2", "192.0.2.3"));
  await world.clock.advance(200);
  expect(led()).toEqual(["192.0.2.2"]);
});

test("a proxy that may read only its own Node uses the addresses of that Node only", async () => {
  const world = aNode({ guardsAllNodes: false });
  world.put("nodes", node());
  world.put("services", aService({ externalIPs: ["198.51.100.7", "192.0.2.1"] }));
  world.put("endpointslices", slice("10.1.0.1"));
  await world.start();
  const external = world.nft.elements("service-ips").map((element) => element.split(" ")[0]);
  expect(external).toEqual(["10.96.0.10", "198.51.100.7"]);
});
