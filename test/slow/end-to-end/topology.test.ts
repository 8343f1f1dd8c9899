import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageArchive, ociArchitecture } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually, runProgram } from "../../support/run-program.ts";

const forwardedPort = 30_000 + (process.pid % 2000);

function topology(): string {
  return `
apiVersion: kintsugi.dev/v1
kind: Topology
profile: fast
nodes:
  - { zone: a, labels: { disk: ssd } }
  - { name: database, zone: b, taints: ["dedicated=database:NoSchedule"], kubelet: { max-pods: 20 } }
images: [app.tar]
ports:
  - { host: ${forwardedPort}, node: node-1, port: 30080 }
`;
}

const web = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  type: NodePort
  selector: { app: web }
  ports: [{ port: 80, nodePort: 30080 }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: web
        image: busybox:1
        command: ["httpd", "-f", "-p", "80", "-h", "/etc"]
        readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 }
`;

describe.skipIf(sayWhyNot("a topology", whyNoClusters()))("a cluster from a topology file", () => {
  let cluster: LabCluster;
  let directory: string;
  const kintsugi = async (...args: string[]) => {
    const result = await cluster.kintsugi(...args);
    expect({ args, ...result }).toMatchObject({ args, code: 0 });
    return result.stderr;
  };
  const rolledOut = () => cluster.kubectl("rollout", "status", "deployment/web", "--timeout=60s");
  const reached = () =>
    eventually("the forwarded port answers", async () => {
      const signal = AbortSignal.timeout(2000);
      const answer = await fetch(`http://127.0.0.1:${forwardedPort}/hostname`, { signal }).catch(() => undefined);
      return (await answer?.text())?.startsWith("web-");
    });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "topology-"));
    const image = imageArchive([{ names: ["registry.invalid/app:1"], files: [] }], ociArchitecture());
    await writeFile(join(directory, "app.tar"), image);
    await writeFile(join(directory, "topology.yaml"), topology());
    cluster = await startLabCluster({
      name: "topology",
      proxy: true,
      args: ["--config", join(directory, "topology.yaml")],
    });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  test("has its nodes with zones, labels, taints, limits and images, and forwards its port to a node", async () => {
    interface Node {
      metadata: { labels: Record<string, string> };
      spec: { taints?: object[] };
      status: { allocatable: { pods: string }; images: { names: string[] }[] };
    }
    const [first, database] = await Promise.all(["node-1", "database"].map((name) => cluster.get<Node>("node", name)));
    expect(first?.metadata.labels).toMatchObject({ disk: "ssd", "topology.kubernetes.io/zone": "a" });
    expect(database?.metadata.labels).toMatchObject({ "topology.kubernetes.io/zone": "b" });
    expect(database?.spec.taints).toEqual([{ key: "dedicated", value: "database", effect: "NoSchedule" }]);
    expect(database?.status.allocatable.pods).toBe("20");
    await eventually("the image is on the node", async () =>
      (await cluster.get<Node>("node", "database")).status.images.some(({ names }) =>
        names.includes("registry.invalid/app:1"),
      ),
    );
    await cluster.apply(web);
    await rolledOut();
    await reached();
  });

  test("adds a node whose pods reach the other nodes' pods, and removes a node within its pods' budgets", async () => {
    expect(await kintsugi("node", "add", "--zone", "c", "--label", "disk=hdd")).toMatch(/node-3 added/);
    await cluster.kubectl("scale", "deployment/web", "--replicas=6");
    await rolledOut();
    const pods = await cluster.get<{ items: { spec: { nodeName: string }; status: { podIP: string } }[] }>("pods");
    expect([...new Set(pods.items.map(({ spec }) => spec.nodeName))].toSorted()).toEqual(["node-1", "node-3"]);
    const there = pods.items.find(({ spec }) => spec.nodeName === "node-1");
    const names = await cluster.kubectl("get", "pods", "-o", "name", "--field-selector", "spec.nodeName=node-3");
    const [from = ""] = names.split("\n");
    const answer = await cluster.kubectl("exec", from, "--", "wget", "-qO-", `http://${there?.status.podIP}/hostname`);
    expect(answer).toMatch(/^web-/);

    expect(await kintsugi("node", "remove", "node-3")).toMatch(/evicting pod default\/web-.*node-3 removed/s);
    expect(await cluster.kubectl("get", "nodes", "-o", "name")).toBe("node/database\nnode/node-1\n");
    await rolledOut();
    const refused = await cluster.kintsugi("node", "add", "database");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('there is a node "database" already') });
  });

  test("stops without a trace of its processes, and starts with all its state", async () => {
    const before = await cluster.get("deployment", "web");
    await kintsugi("stop", "--grace", "1s");
    expect(await runProgram("ip", ["netns", "list"])).not.toMatchObject({
      stdout: expect.stringContaining(`kintsugi-${cluster.name}-`),
    });
    expect((await cluster.kintsugi("stop")).stderr).toContain("did not run");
    await kintsugi("start");
    await rolledOut();
    await reached();
    expect((await cluster.get("deployment", "web")).metadata.uid).toBe(before.metadata.uid);
  });
});
