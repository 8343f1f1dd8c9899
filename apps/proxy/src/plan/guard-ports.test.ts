import type { EndpointSlice, Node, Service } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aService, aSlice, anEndpoint } from "../testing/service-builders.ts";
import { type KnownAddresses, guardPorts } from "./guard-ports.ts";
import { planRules } from "./plan-rules.ts";

const aNode = (name: string, address: string, podCIDR: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  spec: { podCIDR },
  status: { addresses: [{ type: "InternalIP", address }] },
});

const cluster: KnownAddresses = {
  nodes: [aNode("node-1", "192.0.2.11", "10.1.1.0/24"), aNode("node-2", "192.0.2.12", "10.1.2.0/24")],
  controlPlane: ["192.0.2.1"],
};

const apiServers: EndpointSlice = {
  ...aSlice([anEndpoint("192.0.2.2")], { service: "kubernetes", name: "kubernetes" }),
  metadata: {
    namespace: "default",
    name: "kubernetes",
    labels: { "kubernetes.io/service-name": "kubernetes" },
  },
};

/** A Service of another proxy, whose address still is a Service's address. */
const foreign = aService(
  { clusterIP: "10.96.0.20", clusterIPs: ["10.96.0.20"] },
  { name: "foreign", labels: { "service.kubernetes.io/service-proxy-name": "x" } },
);

function guarded(service: Service, known = cluster) {
  const { ports, refused } = guardPorts({ services: [service, foreign], slices: [apiServers] }, known);
  return { addresses: ports.map(({ externalIps }) => externalIps), refused };
}

describe("a Service with an address of the cluster itself", () => {
  test.each([
    ["192.0.2.1", "is an address of the control plane"],
    ["192.0.2.2", "is an address of the control plane"],
    ["192.0.2.11", "is an address of a node"],
    ["192.0.2.12", "is an address of a node"],
    ["10.1.2.7", "is an address of pods"],
    ["10.96.0.10", "is an address of a Service"],
    ["10.96.0.20", "is an address of a Service"],
    ["127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
    ["169.254.169.254", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ])("receives no packets of %s, which %s", (address, because) => {
    const external = aService({ clusterIPs: ["10.96.0.10"], externalIPs: ["198.51.100.7", address] });
    expect(guarded(external)).toEqual({
      addresses: [["198.51.100.7"]],
      refused: [{ service: "ns/web", address, because }],
    });
    const balanced: Service = {
      ...aService({ clusterIPs: ["10.96.0.10"], type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8"] }),
      status: { loadBalancer: { ingress: [{ ip: address }, { ip: "198.51.100.8" }] } },
    };
    expect(guarded(balanced).addresses).toEqual([["198.51.100.8"]]);
    const { ports } = guardPorts({ services: [balanced, foreign], slices: [apiServers] }, cluster);
    expect(ports[0]?.guardedIps).toEqual(["198.51.100.8"]);
  });
});

test("while the Nodes are unknown no external address is routed", () => {
  const service = aService({ externalIPs: ["198.51.100.7"] });
  expect(guarded(service, { ...cluster, nodes: undefined })).toEqual({ addresses: [[]], refused: [] });
});

test("a Service without external addresses does not need Nodes", () => {
  expect(guarded(aService(), { ...cluster, nodes: undefined })).toEqual({ addresses: [[]], refused: [] });
});

test("no kernel rule has the address or a node port outside the node port range", () => {
  const ports = [{ port: 6443, nodePort: 10_250 }];
  const service = aService({ type: "NodePort", externalIPs: ["192.0.2.1"], ports });
  const node = { nodeName: "node-1", zone: "", podCidr: "10.1.1.0/24", addresses: ["192.0.2.11"] };
  const options = { masqueradeAll: false, bridgeBypassesRules: false };
  const slice = aSlice([anEndpoint("10.1.1.5")]);
  const { ruleset } = planRules({ services: [service], slices: [slice], node, cluster }, options);
  expect(Object.values(ruleset.maps).flatMap((entries) => [...entries.keys()])).toEqual(["10.96.0.10 . tcp . 6443"]);
});
