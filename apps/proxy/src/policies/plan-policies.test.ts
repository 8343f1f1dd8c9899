import type { Namespace, NetworkPolicy, Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { type Allowance, planPolicies } from "./plan-policies.ts";
import { policyScript } from "./policy-script.ts";

type Labels = Record<string, string>;

function aPod(name: string, podIP: string, options: { namespace?: string; labels?: Labels; nodeName?: string } = {}) {
  const { namespace = "ns", labels = { app: name }, nodeName = "node-1" } = options;
  const ports = [{ name: "web", containerPort: 8080, protocol: "TCP" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: { nodeName, containers: [{ name: "c", image: "i", ports }] },
    status: { phase: "Running", podIP },
  } as Pod;
}

const namespaces = [
  { metadata: { name: "ns", labels: { team: "a" } } },
  { metadata: { name: "other", labels: { team: "b" } } },
] as Namespace[];
const web = aPod("web", "10.1.0.2");
const near = aPod("near", "10.1.0.3");
const far = aPod("far", "10.1.1.4", { nodeName: "node-2" });
const foreign = aPod("foreign", "10.1.1.5", { namespace: "other", nodeName: "node-2" });
const pods = [web, near, far, foreign];

function aPolicy(spec: NetworkPolicy["spec"], namespace = "ns"): NetworkPolicy {
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "p", namespace }, spec };
}

function plan(...specs: NetworkPolicy["spec"][]) {
  const policies = specs.map((spec) => aPolicy(spec));
  return planPolicies({ policies, pods, namespaces, nodeName: "node-1" });
}

const webOnly = { matchLabels: { app: "web" } };

describe("a pod of this node", () => {
  test("is not restricted without a policy that selects it, or in a direction that no policy covers", () => {
    expect(plan({ podSelector: { matchLabels: { app: "nothing" } } })).toEqual({
      ingress: new Map(),
      egress: new Map(),
      cut: [],
    });
    const { ingress, egress } = plan({ podSelector: webOnly, policyTypes: ["Ingress"] });
    expect([...ingress]).toEqual([["10.1.0.2", []]]);
    expect(egress.size).toBe(0);
    const foreigners = planPolicies({
      policies: [aPolicy({ podSelector: {} }, "other")],
      pods,
      namespaces,
      nodeName: "node-1",
    });
    expect(foreigners.ingress.size).toBe(0);
  });

  test("has the traffic that any policy's rules allow", () => {
    const { ingress } = plan(
      { podSelector: webOnly, ingress: [{ from: [{ podSelector: { matchLabels: { app: "near" } } }] }] },
      { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
    );
    expect(ingress.get("10.1.0.2")).toEqual([
      { addresses: ["10.1.0.3"] },
      { port: { protocol: "TCP", from: 80, to: 80 } },
    ]);
    expect(ingress.get("10.1.0.3")).toEqual([{ port: { protocol: "TCP", from: 80, to: 80 } }]);
  });

  test("that has ended, or is on its host's network, is neither restricted nor a peer", () => {
    const ended = { ...near, status: { ...near.status, phase: "Succeeded" } } as Pod;
    const onHost = { ...far, spec: { ...far.spec, hostNetwork: true } } as Pod;
    const policies = [aPolicy({ podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] })];
    const { ingress } = planPolicies({ policies, pods: [web, ended, onHost], namespaces, nodeName: "node-1" });
    expect([...ingress]).toEqual([["10.1.0.2", [{ addresses: ["10.1.0.2"] }]]]);
  });
});

const from = (peers: object[], ports?: object[]) =>
  ({ podSelector: webOnly, ingress: [{ from: peers, ...(ports ? { ports } : {}) }] }) as NetworkPolicy["spec"];
const to = (peers: object[] | undefined, ports?: object[]) =>
  ({
    podSelector: webOnly,
    policyTypes: ["Egress"],
    egress: [{ ...(peers ? { to: peers } : {}), ...(ports ? { ports } : {}) }],
  }) as NetworkPolicy["spec"];

test.each<[string, NetworkPolicy["spec"], Allowance[]]>([
  [
    "pods of the policy's namespace",
    from([{ podSelector: {} }]),
    [{ addresses: ["10.1.0.2", "10.1.0.3", "10.1.1.4"] }],
  ],
  [
    "all pods of namespaces",
    from([{ namespaceSelector: { matchLabels: { team: "b" } } }]),
    [{ addresses: ["10.1.1.5"] }],
  ],
  [
    "some pods of namespaces, both selectors in one peer",
    from([{ namespaceSelector: {}, podSelector: { matchLabels: { app: "far" } } }]),
    [{ addresses: ["10.1.1.4"] }],
  ],
  [
    "either of two peers",
    from([{ namespaceSelector: { matchLabels: { team: "b" } } }, { podSelector: { matchLabels: { app: "far" } } }]),
    [{ addresses: ["10.1.1.4", "10.1.1.5"] }],
  ],
  ["no pod, if the selectors match no pod", from([{ podSelector: { matchLabels: { app: "x" } } }]), []],
  [
    "a block without some ranges, and no IPv6 block",
    from([{ ipBlock: { cidr: "192.0.2.0/24", except: ["192.0.2.8/29"] } }, { ipBlock: { cidr: "2001:db8::/32" } }]),
    [{ block: { cidr: "192.0.2.0/24", except: ["192.0.2.8/29"] } }],
  ],
  [
    "ports: numbers, ranges, a protocol alone",
    from([], [{ port: 80 }, { port: 5000, endPort: 5010, protocol: "UDP" }, { protocol: "SCTP" }]),
    [
      { port: { protocol: "TCP", from: 80, to: 80 } },
      { port: { protocol: "UDP", from: 5000, to: 5010 } },
      { port: { protocol: "SCTP" } },
    ],
  ],
  [
    "a named port of the pod itself",
    from([], [{ port: "web" }]),
    [{ port: { protocol: "TCP", from: 8080, to: 8080 } }],
  ],
  ["no port if the pod has no port of that name", from([], [{ port: "none" }]), []],
])("ingress may come from %s", (_, spec, expected) => {
  expect(plan(spec).ingress.get("10.1.0.2")).toEqual(expected);
});

test.each<[string, NetworkPolicy["spec"], Allowance[]]>([
  ["everywhere", to(undefined), [{}]],
  ["peers", to([{ podSelector: { matchLabels: { app: "far" } } }]), [{ addresses: ["10.1.1.4"] }]],
  [
    "a port that the receiving pods have by that name",
    to([{ namespaceSelector: { matchLabels: { team: "b" } } }], [{ port: "web" }]),
    [{ addresses: ["10.1.1.5"], port: { protocol: "TCP", from: 8080, to: 8080 } }],
  ],
])("egress may go to %s", (_, spec, expected) => {
  expect(plan(spec).egress.get("10.1.0.2")).toEqual(expected);
});

test("a namespace with too many rules has its pods isolated, and other namespaces keep their rules", () => {
  const blocks = Array.from({ length: 1_000 }, (_, i) => ({ ipBlock: { cidr: `10.${i >> 8}.${i & 255}.0/24` } }));
  const ports = Array.from({ length: 1_000 }, (_, i) => ({ port: i + 1 }));
  const old = { ...aPod("old", "10.1.0.6", { namespace: "other" }) };
  const policies = [
    aPolicy({ podSelector: webOnly, ingress: [{ from: blocks, ports }] }),
    aPolicy({ podSelector: { matchLabels: { app: "near" } }, ingress: [{ ports: [{ port: 80 }] }] }),
    aPolicy({ podSelector: {}, ingress: [{ from: blocks, ports: ports.slice(0, 10) }] }, "other"),
  ];
  const { ingress, cut } = planPolicies({ policies, pods: [...pods, old], namespaces, nodeName: "node-1" });
  expect(cut).toEqual(["ns/web"]);
  expect(ingress.get("10.1.0.2")).toEqual([]);
  expect(ingress.get("10.1.0.3")).toEqual([{ port: { protocol: "TCP", from: 80, to: 80 } }]);
  expect(ingress.get("10.1.0.6")).toHaveLength(10_000);
});

test("the oldest pods of a namespace get its share of rules", () => {
  const blocks = Array.from({ length: 1_000 }, (_, i) => ({ ipBlock: { cidr: `10.${i >> 8}.${i & 255}.0/24` } }));
  const many = Array.from({ length: 60 }, (_, i) => ({
    ...aPod(`pod-${i}`, `10.1.0.${i + 10}`),
    metadata: {
      name: `pod-${i}`,
      namespace: "ns",
      creationTimestamp: `2026-01-01T00:00:${String(59 - i).padStart(2, "0")}Z`,
    },
  }));
  const policies = [aPolicy({ podSelector: {}, ingress: [{ from: blocks }] })];
  const { cut } = planPolicies({ policies, pods: many as Pod[], namespaces, nodeName: "node-1" });
  expect(cut).toEqual(Array.from({ length: 10 }, (_, i) => `ns/pod-${i}`).toSorted());
});

test("the script replaces the table, shares sets of peers, and drops packets that no rule allows", () => {
  const peer = { podSelector: { matchLabels: { app: "far" } } };
  const spec = {
    podSelector: {},
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ from: [peer], ports: [{ port: 80 }] }],
  };
  const lines = policyScript(plan(spec))
    .split("\n")
    .map((line) => line.trim());
  expect(lines.slice(0, 2)).toEqual([
    "add table ip kintsugi-network-policy",
    "delete table ip kintsugi-network-policy",
  ]);
  expect(lines.filter((line) => line.startsWith("set peers-"))).toHaveLength(1);
  const [set] = /peers-\w+/.exec(lines.join()) ?? [];
  const at = lines.indexOf("chain ingress-10.1.0.3 {");
  expect(lines.slice(at, at + 5)).toEqual([
    "chain ingress-10.1.0.3 {",
    "ip saddr 10.1.0.3 return",
    `ip saddr @${set} tcp dport 80 return`,
    "drop",
    "}",
  ]);
  expect(lines).toContain("elements = { 10.1.0.2 : jump egress-10.1.0.2, 10.1.0.3 : jump egress-10.1.0.3 }");
  expect(policyScript(plan()).split("\n")).toHaveLength(3);
});
