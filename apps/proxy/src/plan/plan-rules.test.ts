import type { EndpointSlice, Service } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aService, aSlice, anEndpoint } from "../testing/service-builders.ts";
import { planRules, type PlanOptions, type ProxyNode } from "./plan-rules.ts";

const node: ProxyNode = { nodeName: "node-1", zone: "", podCidr: "10.1.0.0/24", addresses: ["192.0.2.1"] };
const cluster = { nodes: [], controlPlane: [] };
const options: PlanOptions = { masqueradeAll: false, bridgeBypassesRules: false };

/**
 * Returns the planned rules without hashes: the maps with their verdicts, and the rules of each
 * chain.
 */
function planned(
  services: Service[],
  slices: EndpointSlice[],
  changes: Partial<ProxyNode> = {},
  changedOptions: Partial<PlanOptions> = {},
) {
  const observed = { services, slices, node: { ...node, ...changes }, cluster };
  const { ruleset } = planRules(observed, { ...options, ...changedOptions });
  const plain = (text: string) => text.replaceAll(/-[A-Z2-7]{8}-/g, ":");
  const verdicts = Object.entries(ruleset.maps).flatMap(([map, entries]) =>
    [...entries].map(([key, verdict]) => `${map} ${key} → ${plain(verdict)}`),
  );
  const chains = Object.fromEntries([...ruleset.chains].map(([name, rules]) => [plain(name), rules.map(plain)]));
  return { verdicts, chains, sets: ruleset.sets, affinitySets: ruleset.affinitySets };
}

const endpoints = (...texts: string[]) => texts.map(anEndpoint);
const two = endpoints("10.1.0.1@node-1", "10.1.1.1@node-2");

/** Lists the addresses to which a chain may lead. */
const choices = (rules: readonly string[] = []) =>
  [...rules.join(" ").matchAll(/\d+ : goto endpoint\S*__([0-9.]+)\//g)].map(([, address]) => address);

describe("a cluster IP", () => {
  test("leads to a random ready endpoint, and back when an endpoint calls itself", () => {
    expect(planned([aService()], [aSlice(two)])).toEqual({
      verdicts: ["service-ips 10.96.0.10 . tcp . 80 → goto service:ns/web/tcp/"],
      chains: {
        "service:ns/web/tcp/": [
          "ip daddr 10.96.0.10 tcp dport 80 ip saddr != 10.1.0.0/24 jump mark-for-masquerade",
          "numgen random mod 2 vmap { 0 : goto endpoint:ns/web/tcp/__10.1.0.1/8080, 1 : goto endpoint:ns/web/tcp/__10.1.1.1/8080 }",
        ],
        "endpoint:ns/web/tcp/__10.1.0.1/8080": [
          "ip saddr 10.1.0.1 jump mark-for-masquerade",
          "meta l4proto tcp dnat to 10.1.0.1:8080",
        ],
        "endpoint:ns/web/tcp/__10.1.1.1/8080": [
          "ip saddr 10.1.1.1 jump mark-for-masquerade",
          "meta l4proto tcp dnat to 10.1.1.1:8080",
        ],
      },
      sets: { "cluster-ips": new Set(["10.96.0.10"]), "nodeport-ips": new Set(["192.0.2.1"]) },
      affinitySets: new Map(),
    });
  });

  test("maps each of its ports to the endpoints' port of that name and protocol", () => {
    const ports = [
      { name: "dns", port: 53, protocol: "UDP" as const },
      { name: "dns-tcp", port: 53, protocol: "TCP" as const },
      { name: "assoc", port: 9, protocol: "SCTP" as const },
    ];
    const slicePorts = ports.map((port) => ({ ...port, port: port.port + 5000 }));
    const { verdicts, chains } = planned([aService({ ports })], [aSlice(two, { ports: slicePorts })]);
    expect(verdicts).toEqual([
      "service-ips 10.96.0.10 . udp . 53 → goto service:ns/web/udp/dns",
      "service-ips 10.96.0.10 . tcp . 53 → goto service:ns/web/tcp/dns-tcp",
      "service-ips 10.96.0.10 . sctp . 9 → goto service:ns/web/sctp/assoc",
    ]);
    expect(chains["endpoint:ns/web/udp/dns__10.1.0.1/5053"]).toContain("meta l4proto udp dnat to 10.1.0.1:5053");
    expect(chains["endpoint:ns/web/sctp/assoc__10.1.1.1/5009"]).toContain("meta l4proto sctp dnat to 10.1.1.1:5009");
  });

  test.each([
    ["no slice", []],
    ["nothing in its slice", [aSlice([])]],
    ["only endpoints that are not ready", [aSlice(endpoints("-10.1.0.1"))]],
    ["a slice without its port", [aSlice(two, { ports: [{ name: "other", port: 1 }] })]],
    ["a slice of another proxy", [aSlice(two, { labels: { "service.kubernetes.io/service-proxy-name": "x" } })]],
    ["a slice of another Service", [aSlice(two, { service: "other" })]],
  ])("with %s rejects connections immediately", (_, slices) => {
    const { verdicts, chains } = planned([aService()], slices);
    expect(verdicts).toEqual(["no-endpoint-services 10.96.0.10 . tcp . 80 → goto reject-chain"]);
    expect(chains).toEqual({});
  });

  test.each([
    ["headless", aService({ clusterIP: "None", clusterIPs: ["None"] })],
    ["only a name", aService({ type: "ExternalName", externalName: "example.com" })],
    ["without an address yet", aService({ clusterIP: "" })],
    ["of IPv6 alone", aService({ clusterIP: "fd00::1", clusterIPs: ["fd00::1"] })],
    ["of another proxy", aService({}, { labels: { "service.kubernetes.io/service-proxy-name": "x" } })],
  ])("is ignored by this proxy when the Service is %s", (_, service) => {
    const { verdicts, chains, sets } = planned([service], [aSlice(two)]);
    expect({ verdicts, chains, ips: [...sets["cluster-ips"]] }).toEqual({ verdicts: [], chains: {}, ips: [] });
  });
});

describe("the endpoints of a Service", () => {
  const chosen = (slices: EndpointSlice[], spec = {}, changes: Partial<ProxyNode> = {}) => {
    const { chains } = planned([aService(spec)], slices, changes);
    return choices(chains["service:ns/web/tcp/"] ?? chains["local:ns/web/tcp/"]);
  };

  test.each([
    ["only ready endpoints while any exist", ["10.1.0.1", "~10.1.0.2", "-10.1.0.3"], ["10.1.0.1"]],
    ["terminating endpoints that serve if no endpoint is ready", ["~10.1.0.2", "-10.1.0.3"], ["10.1.0.2"]],
  ])("%s", (_, texts, expected) => {
    expect(chosen([aSlice(endpoints(...texts))])).toEqual(expected);
  });

  test("an endpoint in two slices counts once, and as ready if either slice reports it as ready", () => {
    const slices = [aSlice(endpoints("-10.1.0.1")), aSlice(endpoints("10.1.0.1", "10.1.0.2"), { name: "web-2" })];
    expect(chosen(slices)).toEqual(["10.1.0.1", "10.1.0.2"]);
  });

  test("a missing condition is true, and only the first address counts", () => {
    expect(chosen([aSlice([{ addresses: ["10.1.0.1", "10.1.0.9"] }])])).toEqual(["10.1.0.1"]);
  });

  test("slices of names and of IPv6 are ignored", () => {
    const slices = [
      aSlice([{ addresses: ["example.com"] }], { addressType: "FQDN", name: "a" }),
      aSlice([{ addresses: ["fd00::1"] }], { addressType: "IPv6", name: "b" }),
      aSlice(two),
    ];
    expect(chosen(slices)).toEqual(["10.1.0.1", "10.1.1.1"]);
  });

  test("the internal policy Local selects this node's endpoints, and drops packets if only other nodes may have endpoints", () => {
    const local = { internalTrafficPolicy: "Local" };
    expect(chosen([aSlice(two)], local)).toEqual(["10.1.0.1"]);
    expect(planned([aService(local)], [aSlice(endpoints("10.1.1.1@node-2"))]).verdicts).toEqual([
      "no-endpoint-services 10.96.0.10 . tcp . 80 → drop",
    ]);
    expect(planned([aService(local)], [aSlice(endpoints("-10.1.0.1@node-1"))]).verdicts).toEqual([
      "no-endpoint-services 10.96.0.10 . tcp . 80 → goto reject-chain",
    ]);
    // A terminating endpoint of this node is better than no endpoint.
    expect(chosen([aSlice(endpoints("~10.1.0.1@node-1", "10.1.1.1@node-2"))], local)).toEqual(["10.1.0.1"]);
  });

  test("hints select the endpoints for the node's zone unless an endpoint has no hint or no hint names this zone", () => {
    const hinted = (zones: (string | undefined)[]) => [
      aSlice(
        zones.map((zone, i) => ({
          addresses: [`10.1.0.${i + 1}`],
          ...(zone === undefined ? {} : { hints: { forZones: [{ name: zone }] } }),
        })),
      ),
    ];
    const inA = { zone: "a" };
    expect(chosen(hinted(["a", "b"]), {}, inA)).toEqual(["10.1.0.1"]);
    expect(chosen(hinted(["a", undefined]), {}, inA)).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(chosen(hinted(["b", "c"]), {}, inA)).toEqual(["10.1.0.1", "10.1.0.2"]);
    expect(chosen(hinted(["a", "b"]))).toEqual(["10.1.0.1", "10.1.0.2"]);
    const forNode = [aSlice(two.map((each) => ({ ...each, hints: { forNodes: [{ name: each.nodeName ?? "" }] } })))];
    expect(chosen(forNode)).toEqual(["10.1.0.1"]);
  });
});

describe("traffic from outside", () => {
  const nodePort = { type: "NodePort" as const, ports: [{ port: 80, nodePort: 30080 }] };

  test("a node port leads to any endpoint, with the node's address as source", () => {
    const { verdicts, chains } = planned([aService(nodePort)], [aSlice(two)]);
    expect(verdicts).toContain("service-nodeports tcp . 30080 → goto external:ns/web/tcp/");
    expect(chains["external:ns/web/tcp/"]).toEqual(["jump mark-for-masquerade", "goto service:ns/web/tcp/"]);
  });

  test("a node port without endpoints rejects connections", () => {
    expect(planned([aService(nodePort)], []).verdicts).toEqual([
      "no-endpoint-services 10.96.0.10 . tcp . 80 → goto reject-chain",
      "no-endpoint-nodeports tcp . 30080 → goto reject-chain",
    ]);
  });

  test("the policy Local preserves the client's address, and only pods and the node itself may reach other nodes' endpoints", () => {
    const local = { ...nodePort, externalTrafficPolicy: "Local" };
    const { verdicts, chains } = planned([aService(local)], [aSlice(two)]);
    expect(verdicts.filter((line) => line.startsWith("no-"))).toEqual([]);
    expect(chains["external:ns/web/tcp/"]).toEqual([
      "ip saddr 10.1.0.0/24 goto service:ns/web/tcp/",
      "fib saddr type local jump mark-for-masquerade",
      "fib saddr type local goto service:ns/web/tcp/",
      "goto local:ns/web/tcp/",
    ]);
    expect(choices(chains["local:ns/web/tcp/"])).toEqual(["10.1.0.1"]);

    const elsewhere = planned([aService(local)], [aSlice(endpoints("10.1.1.1@node-2"))]);
    expect(elsewhere.verdicts).toContain("service-nodeports tcp . 30080 → goto external:ns/web/tcp/");
    expect(elsewhere.verdicts).toContain("no-endpoint-nodeports tcp . 30080 → drop");
    expect(elsewhere.chains["external:ns/web/tcp/"]).not.toContain("goto local:ns/web/tcp/");
  });

  test("external addresses and load balancer addresses also lead to the endpoints, only from the named ranges", () => {
    const service = {
      ...aService({
        type: "LoadBalancer",
        externalIPs: ["198.51.100.7", "fd00::7"],
        loadBalancerSourceRanges: ["203.0.113.0/24", "fd00::/8"],
      }),
      status: { loadBalancer: { ingress: [{ ip: "198.51.100.8" }, { ip: "198.51.100.9", ipMode: "Proxy" }] } },
    };
    const { verdicts, chains } = planned([service], [aSlice(two)]);
    expect(verdicts).toEqual([
      "service-ips 10.96.0.10 . tcp . 80 → goto service:ns/web/tcp/",
      "service-ips 198.51.100.7 . tcp . 80 → goto external:ns/web/tcp/",
      "service-ips 198.51.100.8 . tcp . 80 → goto external:ns/web/tcp/",
      "firewall-ips 198.51.100.8 . tcp . 80 → goto firewall:ns/web/tcp/",
    ]);
    expect(chains["firewall:ns/web/tcp/"]).toEqual(["ip saddr 203.0.113.0/24 return", "drop"]);
  });

  test("of two Services that claim one address the first by name gets it", () => {
    const claim = { externalIPs: ["198.51.100.7"] };
    const services = [
      aService({ ...claim, clusterIP: "10.96.0.12" }, { name: "zeta" }),
      aService({ ...claim, clusterIP: "10.96.0.11" }, { name: "alpha" }),
    ];
    const slices = ["zeta", "alpha"].map((service) => aSlice(two, { service, name: service }));
    expect(planned(services, slices).verdicts).toContain(
      "service-ips 198.51.100.7 . tcp . 80 → goto external:ns/alpha/tcp/",
    );
  });
});

test("a client keeps its endpoint for the Service's timeout, or for three hours by default", () => {
  const sticky = aService({
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
  });
  const { chains, affinitySets } = planned([sticky], [aSlice(two)]);
  expect([...affinitySets.values()]).toEqual([60, 60]);
  expect(chains["service:ns/web/tcp/"]?.slice(1, 3)).toEqual([
    "ip saddr @affinity-60:ns/web/tcp/__10.1.0.1/8080 goto endpoint:ns/web/tcp/__10.1.0.1/8080",
    "ip saddr @affinity-60:ns/web/tcp/__10.1.1.1/8080 goto endpoint:ns/web/tcp/__10.1.1.1/8080",
  ]);
  expect(chains["endpoint:ns/web/tcp/__10.1.0.1/8080"]?.[1]).toBe(
    "update @affinity-60:ns/web/tcp/__10.1.0.1/8080 { ip saddr }",
  );
  const byDefault = planned([aService({ sessionAffinity: "ClientIP" })], [aSlice(two)]);
  expect([...byDefault.affinitySets.values()]).toEqual([10_800, 10_800]);
});

describe("packets that are masqueraded", () => {
  test("all packets to a cluster IP when that is configured, and nothing more while the pods' range is unknown", () => {
    const all = planned([aService()], [aSlice(two)], {}, { masqueradeAll: true });
    expect(all.chains["service:ns/web/tcp/"]?.[0]).toBe("ip daddr 10.96.0.10 tcp dport 80 jump mark-for-masquerade");
    const unknown = planned([aService()], [aSlice(two)], { podCidr: undefined });
    expect(unknown.chains["service:ns/web/tcp/"]).toHaveLength(1);
  });

  test("packets between pods of one node, if its bridge bypasses the rules", () => {
    const { chains } = planned([aService()], [aSlice(two)], {}, { bridgeBypassesRules: true });
    expect(chains["endpoint:ns/web/tcp/__10.1.0.1/8080"]).toContain("ip saddr 10.1.0.0/24 jump mark-for-masquerade");
    expect(chains["endpoint:ns/web/tcp/__10.1.1.1/8080"]).not.toContain(
      "ip saddr 10.1.0.0/24 jump mark-for-masquerade",
    );
  });
});

test("Services with a policy Local and no endpoint on this node are counted", () => {
  const service = aService({
    internalTrafficPolicy: "Local",
    externalTrafficPolicy: "Local",
    type: "NodePort",
    ports: [{ port: 80, nodePort: 30080 }],
  });
  const plan = (slices: EndpointSlice[]) => planRules({ services: [service], slices, node, cluster }, options);
  const elsewhere = plan([aSlice(endpoints("10.1.1.1@node-2"))]);
  expect(elsewhere.withoutLocalEndpoints).toEqual({ internal: 1, external: 1 });
  expect(plan([aSlice(two)]).withoutLocalEndpoints).toEqual({ internal: 0, external: 0 });
  expect(plan([]).withoutLocalEndpoints).toEqual({ internal: 0, external: 0 });
});

test("names that are too long for the kernel are shortened, and still distinguish endpoints", () => {
  const long = "p".repeat(63);
  const service = aService({ ports: [{ name: long, port: 80 }] }, { name: "n".repeat(63), namespace: "s".repeat(63) });
  const slice = aSlice(endpoints("10.100.100.101", "10.100.100.102"), {
    service: "n".repeat(63),
    ports: [{ name: long, port: 65_535 }],
  });
  slice.metadata.namespace = "s".repeat(63);
  const { ruleset } = planRules({ services: [service], slices: [slice], node, cluster }, options);
  const names = [...ruleset.chains.keys()];
  expect(names).toHaveLength(3);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(255);
});
