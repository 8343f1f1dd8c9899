import type { Node, Pod, Service } from "@kintsugi/api";
import type { SigningRequest } from "@kintsugi/pki";
import { describe, expect, test } from "vitest";
import { namesIn } from "./api-server-names.ts";
import { type ClusterNames, servingFault } from "./serving-fault.ts";

const address = "10.0.0.5";

function aNode(name: string, addresses: readonly string[], more: Partial<Node> = {}): Node {
  const creationTimestamp = "2026-01-01T12:00:00Z";
  const status = { addresses: addresses.map((each) => ({ type: "InternalIP" as const, address: each })) };
  return { ...more, metadata: { name, creationTimestamp }, status };
}

function aService(name: string, creationTimestamp: string): Service {
  return { metadata: { name, namespace: "shop", creationTimestamp }, spec: { clusterIP: "10.96.0.77" } };
}

function aPod(podIP: string, hostNetwork = false): Pod {
  return { metadata: { name: "p", namespace: "shop" }, spec: { containers: [], hostNetwork }, status: { podIP } };
}

const other = aNode("node-2", ["10.0.0.6", "2001:db8::6", "second.example.com"], {
  spec: { podCIDR: "10.244.2.0/24" },
});

/** A cluster whose Node claims `claimed` in addition to its own address. */
function fault(
  asked: Partial<SigningRequest>,
  { claimed = [], name = "node-1", ...more }: Partial<ClusterNames> & { claimed?: string[]; name?: string } = {},
): string | undefined {
  const node = aNode(name, [address, ...claimed], { spec: { podCIDR: "10.244.1.0/24" } });
  const cluster: ClusterNames = {
    node,
    nodes: [node, other],
    services: [],
    pods: [],
    apiServer: [
      "localhost",
      "api.example.com",
      "kubernetes.default.svc.corp.example",
      "10.0.0.1",
      "10.96.0.1",
      "2001:db8::1",
    ],
    serviceRange: "10.96.0.0/16",
    ...more,
  };
  const nothing = { commonName: `system:node:${name}`, organizations: ["system:nodes"], emailAddresses: [], uris: [] };
  return servingFault({ ...nothing, dnsNames: [], ipAddresses: [], der: new Uint8Array(), ...asked }, cluster);
}

test("a node owns its name, hostname and addresses", () => {
  expect(fault({ dnsNames: ["node-1"], ipAddresses: [address] })).toBeUndefined();
  expect(
    fault(
      { dnsNames: ["host.example.com"], ipAddresses: ["2001:db8::5"] },
      { claimed: ["Host.example.com.", "2001:DB8:0::5"] },
    ),
  ).toBeUndefined();
  expect(fault({ dnsNames: ["node-3"] })).toBe("node-3 is not a name of the node");
  expect(fault({ ipAddresses: ["10.0.0.9"] })).toBe("10.0.0.9 is not an address of the node");
});

test("without a Node, or without addresses, a node owns nothing", () => {
  expect(fault({ dnsNames: ["node-1"] }, { node: undefined })).toBe("there is no Node of that name yet");
  expect(fault({ dnsNames: ["node-1"] }, { node: aNode("node-1", []) })).toBe("its Node has no addresses yet");
});

describe("a node that writes into its Node's addresses gets no certificate for", () => {
  test.each([
    ["10.0.0.1", "is an address of the API server"],
    ["::ffff:10.0.0.1", "is an address of the API server"],
    ["2001:0db8:0:0::1", "is an address of the API server"],
    ["10.96.0.1", "is an address of the API server"],
    ["10.96.3.4", "is in the range of Services"],
    ["127.0.0.1", "is not the address of a machine"],
    ["::1", "is not the address of a machine"],
    ["169.254.169.254", "is not the address of a machine"],
    ["fe80::1", "is not the address of a machine"],
    ["0.0.0.0", "is not the address of a machine"],
    ["224.0.0.1", "is not the address of a machine"],
    ["10.0.0.6", "is an address of node node-2"],
    ["2001:db8::6", "is an address of node node-2"],
    ["10.244.2.9", "is in the range of the pods of node node-2"],
    ["10.244.1.9", "is in the range of the pods of node node-1"],
  ])("the address %s: it %s", (claimed, because) => {
    expect(fault({ ipAddresses: [claimed] }, { claimed: [claimed] })).toContain(because);
  });

  test("a Service's or a pod's address where no range is configured", () => {
    const services = [aService("web", "2026-01-01T00:00:00Z")];
    const of = { claimed: ["10.96.0.77"], serviceRange: undefined, services };
    expect(fault({ ipAddresses: ["10.96.0.77"] }, of)).toBe("10.96.0.77 is an address of the Service shop/web");
    // Any user who may write Services may declare any address external.
    const external = [{ ...aService("web", "2026-01-01T00:00:00Z"), spec: { externalIPs: [address] } }];
    expect(fault({ ipAddresses: [address] }, { services: external })).toBeUndefined();
    const pods = [aPod("192.168.7.7")];
    expect(fault({ ipAddresses: ["192.168.7.7"] }, { claimed: ["192.168.7.7"], pods })).toBe(
      "192.168.7.7 is an address of the pod shop/p",
    );
    // A pod on the host network has the node's address.
    expect(fault({ ipAddresses: [address] }, { pods: [aPod(address, true)] })).toBeUndefined();
  });

  const foreignNames = [
    ["localhost", "is a name of the API server"],
    ["api.example.com", "is a name of the API server"],
    ["kubernetes", "is a name of the API server"],
    ["kubernetes.default", "is a name of the API server"],
    ["kubernetes.default.svc", "is a name of a Service"],
    ["web.shop.svc", "is a name of a Service"],
    ["web.shop.svc.cluster.local", "is a name of a Service"],
    ["x.corp.example", "is a name of a Service"],
  ] as const;

  test.each<readonly [string, string]>([
    ...foreignNames,
    ["API.example.com.", "is a name of the API server"],
    ["node-2", "is a name of node node-2"],
    ["second.example.com", "is a name of node node-2"],
    ["*.example.com", "is not a name of the node"],
  ])("the name %s: it %s", (claimed, because) => {
    expect(fault({ dnsNames: [claimed] }, { claimed: [claimed] })).toContain(because);
  });

  test.each(foreignNames)("the name %s, if it is the node's own: it %s", (name, because) => {
    expect(fault({ dnsNames: [name] }, { name })).toContain(because);
  });

  test.each(["web", "web.shop"])("the name %s of a Service that existed before the node", (name) => {
    const older = [aService("web", "2026-01-01T11:00:00Z")];
    expect(fault({ dnsNames: [name] }, { name, services: older })).toBe(`${name} is the Service shop/web`);
    const younger = [aService("web", "2026-01-01T13:00:00Z")];
    expect(fault({ dnsNames: [name] }, { name, services: younger })).toBeUndefined();
  });
});

test("the names in a certificate are read as Node.js prints them", () => {
  expect(namesIn(undefined)).toEqual([]);
  expect(
    namesIn('DNS:localhost, IP Address:127.0.0.1, DNS:"a,b", URI:spiffe://x, IP Address:2001:DB8:0:0:0:0:0:1'),
  ).toEqual(["localhost", "127.0.0.1", "a,b", "2001:DB8:0:0:0:0:0:1"]);
});
