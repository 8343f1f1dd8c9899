import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTopology } from "./topology-file.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "topology-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const head = "apiVersion: kintsugi.dev/v1\nkind: Topology\n";

const host = { cpuMillicores: 4000, memoryBytes: 8 * 1024 ** 3 };

function read(text: string) {
  const file = join(directory, "t.yaml");
  writeFileSync(file, head + text);
  return readTopology(file, host);
}

function complaintsAbout(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message.split("\n").map((line) => line.replace(`${directory}/t.yaml:`, ""));
  }
  throw new Error("the topology was taken");
}

test("a topology may have three or five servers, and two servers are rejected", () => {
  expect(read("servers: 3").servers).toBe(3);
  expect(read("name: a").servers).toBeUndefined();
  expect(complaintsAbout("servers: 2")).toHaveLength(1);
});

test("groups of nodes become nodes; a zone becomes a label, settings become flags", () => {
  writeFileSync(join(directory, "app.tar"), "");
  const topology = read(`
name: shop
nodes:
  - { count: 2, zone: a, labels: { disk: ssd } }
  - { name: db, taints: ["dedicated=db:NoSchedule", "old:NoExecute"], kubelet: { max-pods: 20 } }
kubelet: { serialize-image-pulls: false }
images: [app.tar, busybox:1]
registryMirrors: ["docker.io=http://192.0.2.1:5000"]
ports:
  - { host: 8080, node: node-2, port: 30080 }
  - { address: 0.0.0.0, host: 8443, node: db, port: 30443 }
`);
  const labels = { disk: "ssd", "topology.kubernetes.io/zone": "a" };
  expect(topology).toMatchObject({
    name: "shop",
    nodes: [
      { labels },
      { labels },
      { name: "db", taints: ["dedicated=db:NoSchedule", "old:NoExecute"], kubeletArgs: ["max-pods=20"] },
    ],
    kubeletArg: ["serialize-image-pulls=false"],
    images: [join(directory, "app.tar"), "busybox:1"],
    registryMirror: [{ host: "docker.io", endpoints: ["http://192.0.2.1:5000"], insecure: false }],
    portForwards: [
      { hostPort: 8080, node: "node-2", nodePort: 30080 },
      { hostAddress: "0.0.0.0", hostPort: 8443, node: "db", nodePort: 30443 },
    ],
  });
});

test("node groups of the cloud have this host's sizes unless the file has sizes", () => {
  const { cloud } = read(`
cloud:
  groups:
    - { name: small, max: 3, cpu: 500m, memory: 1Gi, priority: 10, zone: a, maxPods: 20 }
    - { name: large, min: 1, max: 2, labels: { disk: ssd }, taints: ["dedicated=db:NoSchedule"] }
`);
  const small = { cpuMillicores: 500, memoryBytes: 1024 ** 3, podsMax: 20, zone: "a" };
  expect(cloud).toEqual({
    machinesMax: 5,
    groups: [
      { name: "small", min: 0, max: 3, priority: 10, ...small },
      { name: "large", min: 1, max: 2, priority: 0, labels: { disk: "ssd" }, taints: ["dedicated=db:NoSchedule"] },
    ],
  });
});

test.each([
  ["cloud:\n  groups: [{ name: Small, max: 1 }]", /^4:20: cloud\.groups\[1\]\.name: "Small" has to be/],
  ["cloud:\n  groups: [{ name: a, max: 1, min: 2 }]", /^4:36: cloud\.groups\[1\]\.min: 2 is more than max/],
  [
    "cloud:\n  groups: [{ name: a, max: 1, cpu: 5 }]",
    /^4:36: .*\.cpu: 5 is not from 100m to 4000m, which this host has/,
  ],
  ["cloud:\n  groups: [{ name: a, max: 1, memory: much }]", /\.memory: "much" is not a quantity/],
  ["cloud:\n  groups: [{ name: a, max: 1 }, { name: a, max: 1 }]", /groups\[2\]\.name: a group "a" already exists/],
  ["cloud:\n  groups: [{ name: a, max: 60 }, { name: b, max: 60 }]", /groups: have 120 machines at most/],
  ["cloud:\n  groups: [{ name: a, max: 1, prio: 2 }]", /unknown word "prio"/],
  ["nodes:\n  - zones: a", /^4:5: nodes\[1\]: unknown word "zones"; did you mean "zone"\?$/],
  ["nodes:\n  - { count: 2, name: x }", /^4:14: nodes\[1\]\.count: 2 nodes cannot all have the name "x"$/],
  ["nodes:\n  - { taints: [foo] }", /^4:16: nodes\[1\]\.taints\[1\]: "foo" is not key=value:effect/],
  ["nodes:\n  - { labels: { node-role.kubernetes.io/db: x } }", /a kubelet may not set the label node-role/],
  ["nodes:\n  - { kubelet: { MaxPods: 3 } }", /"MaxPods" is not a flag of the kubelet/],
  ["nodes:\n  - { count: 150 }\n  - { count: 150 }", /nodes: are 300, and a cluster of this host has at most 200/],
  ["ports:\n  - { host: 80, node: node-4, port: 80 }", /there is no node "node-4"; there are node-1, node-2, node-3/],
])("a fault is reported with its line and column: %s", (text, complaint) => {
  const [first = ""] = complaintsAbout(text);
  expect(first).toMatch(complaint);
});

test("all faults of a file are reported together, and a missing file is reported by its name", () => {
  expect(complaintsAbout("nodes:\n  - { count: 2, name: x }\n  - { taints: [foo] }")).toHaveLength(2);
  expect(() => readTopology(join(directory, "none.yaml"), host)).toThrow(
    /^--config .*none\.yaml does not exist: name a topology/,
  );
});
