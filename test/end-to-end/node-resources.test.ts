import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";

const lacking =
  whyNoClusters() ?? (newestKubectl() === undefined ? "there is no kubectl; name one in KUBECTL" : undefined);

/** A pod with one container that runs a script; `extra` is put into its spec. */
function podManifest(name: string, script: string, extra: object = {}, container: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "busybox:1.36", command: ["sh", "-c", script], ...container }],
      ...extra,
    },
  });
}

/** Rows of a kubectl table, by their first column, without the header. */
function rows(table: string): Map<string, string[]> {
  const lines = table.trim().split("\n").slice(1);
  return new Map(lines.map((line) => line.trim().split(/\s+/)).map(([name = "", ...cells]) => [name, cells]));
}

describe.skipIf(sayWhyNot("what nodes and pods use", lacking))("the resources of a real node", () => {
  let cluster: LabCluster;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "resources", nodes: 1 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("kubectl top shows what nodes, pods and containers use", async () => {
    await cluster.apply(podManifest("busy", "while true; do :; done", {}, { resources: { limits: { cpu: "200m" } } }));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/busy", "--timeout=30s");
    const nodes = rows(await cluster.kubectl("top", "nodes"));
    const [cores = "", , memory = ""] = nodes.get("node-1") ?? [];
    expect(Number.parseInt(cores, 10)).toBeGreaterThan(50);
    expect(memory).toMatch(/^\d+Mi$/);
    const pods = rows(await cluster.kubectl("top", "pods", "-l", "app=busy"));
    // It may use 200m, and does all it can.
    expect(Number.parseInt(pods.get("busy")?.[0] ?? "", 10)).toBeGreaterThan(50);
    expect(Number.parseInt(pods.get("busy")?.[0] ?? "", 10)).toBeLessThan(400);
    const containers = await cluster.kubectl("top", "pod", "busy", "--containers");
    expect(containers).toMatch(/^busy +main +\d+m +\d+Mi/m);
    expect(await cluster.kubectl("get", "pods.metrics.k8s.io")).toMatch(/^NAME +CPU +MEMORY +WINDOW\nbusy /);
    await cluster.kubectl("delete", "pod", "busy", "--now");
  });
});
