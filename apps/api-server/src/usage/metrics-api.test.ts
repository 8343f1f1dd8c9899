import { usageKinds } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";
import { decodeProtobuf } from "../protobuf/index.ts";
import { TestServer } from "../testing/test-server.ts";
import { parseResourceMetrics, usageBetween, withSample } from "./resource-samples.ts";

const limits = { windowMaxMs: 60_000, windowWantedMs: 10_000, freshContainerMinMs: 10_000 };

/** The metrics of a kubelet: half a core for node-1, and a tenth for one container. */
function exposition(atMs: number, startMs = 0): string {
  const labels = `{container="c",pod="web",namespace="default"}`;
  return [
    "# HELP node_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the node in core-seconds",
    `node_cpu_usage_seconds_total ${atMs / 2000} ${atMs}`,
    `node_memory_working_set_bytes 1048576 ${atMs}`,
    `container_cpu_usage_seconds_total${labels} ${(atMs - startMs) / 10_000} ${atMs}`,
    `container_memory_working_set_bytes${labels} 2097152 ${atMs}`,
    `container_start_time_seconds${labels} ${startMs / 1000}`,
    'pod_cpu_usage_seconds_total{pod="web",namespace="default"} 7 1',
    "resource_scrape_error 0",
    "",
  ].join("\n");
}

describe("two samples of a node", () => {
  const at = (ms: number, startMs?: number) => parseResourceMetrics(exposition(ms, startMs));
  const previousOf = (samples: ReturnType<typeof withSample>) => samples.previous.pods.get("default/web")?.get("c");

  test("are compared over the time between them", () => {
    const samples = withSample(withSample(undefined, at(100_000), limits), at(115_000), limits);
    expect.assert(samples.last.node && samples.previous.node);
    expect(usageBetween(samples.last.node, samples.previous.node)).toEqual({
      cpuNanoCores: 500_000_000,
      memoryBytes: 1_048_576,
      atMs: 115_000,
      windowMs: 15_000,
    });
    expect(previousOf(samples)).toMatchObject({ atMs: 100_000 });
  });

  test("that are too far apart or belong to two instances are not compared", () => {
    const old = withSample(withSample(undefined, at(100_000), limits), at(161_000), limits);
    expect([old.previous.node, previousOf(old)]).toEqual([undefined, undefined]);
    const restarted = withSample(withSample(undefined, at(100_000), limits), at(115_000, 110_000), limits);
    expect(previousOf(restarted)).toBeUndefined();
  });

  test("a new container is measured from its start", () => {
    expect(previousOf(withSample(undefined, at(115_000, 100_000), limits))).toMatchObject({
      atMs: 100_000,
      cpuNanoseconds: 0,
    });
    expect(previousOf(withSample(undefined, at(105_000, 100_000), limits))).toBeUndefined();
  });

  test("are compared over the longer window if the second follows too soon", () => {
    const two = withSample(withSample(undefined, at(100_000), limits), at(115_000), limits);
    expect(previousOf(withSample(two, at(116_000), limits))).toMatchObject({ atMs: 100_000 });
  });
});

describe("metrics.k8s.io", () => {
  const base = "/apis/metrics.k8s.io/v1beta1";

  async function start() {
    let scrapes = 0;
    let down = false;
    const dialer: KubeletDialer = {
      get: async (target, path) => {
        expect([target.address, path]).toEqual(["10.0.0.1", "/metrics/resource"]);
        scrapes++;
        if (down) throw new Error("connection refused");
        const text = exposition(server.clock.nowMs(), 1000);
        return {
          status: 200,
          contentType: "text/plain",
          body: (async function* () {
            yield Buffer.from(text);
          })(),
        };
      },
      send: () => Promise.reject(new Error("not asked for")),
      upgrade: () => Promise.reject(new Error("nothing is upgraded here")),
    };
    const server: TestServer = await TestServer.start({}, { kubeletDialer: dialer });
    await server.call("POST", "/api/v1/nodes", { body: { metadata: { name: "node-1", labels: { zone: "a" } } } });
    await server.call("PATCH", "/api/v1/nodes/node-1/status", {
      body: { status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] } },
    });
    await server.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "default" } } });
    await server.call("POST", "/api/v1/namespaces/default/pods", {
      body: {
        metadata: { name: "web", labels: { app: "web" } },
        spec: { nodeName: "node-1", containers: [{ name: "c", image: "busybox" }] },
      },
    });
    await server.call("PATCH", "/api/v1/namespaces/default/pods/web/status", {
      body: { status: { phase: "Running" } },
    });
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const answer = server.call("GET", `${base}${path}`, { headers });
      await server.clock.advance(2000);
      return answer;
    };
    return { server, ask, scrapes: () => scrapes, fail: () => (down = true) };
  }

  test("is not served where kubelets cannot be reached", async () => {
    await using server = await TestServer.start();
    expect((await server.call("GET", base)).status).toBe(404);
    expect((await server.call("GET", `${base}/nodes`)).status).toBe(404);
  });

  test("has the same kinds in v1, the preferred version", async () => {
    const { server, ask } = await start();
    await using _ = server;
    const { json: group } = await server.call("GET", "/apis/metrics.k8s.io");
    expect(group.versions.map(({ version }: { version: string }) => version)).toEqual(["v1", "v1beta1"]);
    const read = async (path: string) => {
      const answer = server.call("GET", `/apis/metrics.k8s.io/v1${path}`);
      await server.clock.advance(2000);
      return (await answer).json;
    };
    const { resources } = await read("");
    expect(resources).toEqual((await server.call("GET", base)).json.resources);
    await ask("/nodes");
    const [list, pod] = [await read("/namespaces/default/pods"), await read("/namespaces/default/pods/web")];
    expect(list).toMatchObject({ kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1" });
    expect(list.items[0]).toMatchObject({ kind: "PodMetrics", apiVersion: "metrics.k8s.io/v1" });
    expect(pod).toMatchObject({ apiVersion: "metrics.k8s.io/v1", containers: [{ name: "c" }] });
    expect((await ask("/namespaces/default/pods/web")).json.apiVersion).toBe("metrics.k8s.io/v1beta1");
  });

  test("reports the usage of nodes and pods over the measured second", async () => {
    const { server, ask, scrapes } = await start();
    await using _ = server;
    expect((await server.call("GET", base)).json).toMatchObject({
      groupVersion: "metrics.k8s.io/v1beta1",
      resources: [
        { name: "nodes", kind: "NodeMetrics", namespaced: false, verbs: ["get", "list"] },
        { name: "pods", kind: "PodMetrics", namespaced: true, verbs: ["get", "list"] },
      ],
    });
    const { json } = await ask("/nodes");
    expect(json).toMatchObject({
      kind: "NodeMetricsList",
      items: [
        {
          metadata: { name: "node-1", labels: { zone: "a" } },
          window: "1s",
          usage: { cpu: "500m", memory: "1Mi" },
        },
      ],
    });
    const { json: pod } = await ask("/namespaces/default/pods/web");
    expect(pod).toMatchObject({
      kind: "PodMetrics",
      metadata: { name: "web", namespace: "default", labels: { app: "web" } },
      containers: [{ name: "c", usage: { cpu: "100m", memory: "2Mi" } }],
    });
    expect(scrapes()).toBe(2);
    const table = await ask("/nodes", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    expect(table.json.rows[0].cells).toEqual(["node-1", "500m", "1Mi", "1s"]);
  });

  test("answers in protobuf, with the window as a message, if the client accepts only protobuf", async () => {
    const { server, ask } = await start();
    await using _ = server;
    await ask("/nodes");
    const accept = "application/vnd.kubernetes.protobuf";
    const answer = await server.send("GET", `${base}/namespaces/default/pods/web`, { headers: { accept } });
    expect(answer.headers["content-type"]).toBe(accept);
    const description = usageKinds.find(({ type }) => type.kind === "PodMetrics")?.description;
    expect(decodeProtobuf(answer.body as Uint8Array, () => description)).toMatchObject({
      kind: "PodMetrics",
      apiVersion: "metrics.k8s.io/v1beta1",
      window: "1s",
      containers: [{ name: "c", usage: { cpu: "100m", memory: "2Mi" } }],
    });
    const list = await server.send("GET", `${base}/nodes`, { headers: { accept } });
    expect(list.headers["content-type"]).toBe(accept);
  });

  test("queries kubelets again after its resolution, and applies selectors", async () => {
    const { server, ask, scrapes } = await start();
    await using _ = server;
    await ask("/nodes");
    await server.clock.advance(20_000);
    const { json } = await ask("/pods?labelSelector=app%3Dweb");
    expect(json.items).toHaveLength(1);
    expect(json.items[0].window).toMatch(/^2\ds$/);
    expect(scrapes()).toBe(3);
    expect((await ask("/pods?labelSelector=app%3Dother")).json.items).toEqual([]);
    expect((await ask("/nodes?labelSelector=zone%3Db")).json.items).toEqual([]);
    expect((await ask("/nodes/node-2")).status).toBe(404);
  });

  test("leaves out nodes whose kubelet does not answer", async () => {
    const { server, ask, fail } = await start();
    await using _ = server;
    fail();
    expect((await ask("/nodes")).json.items).toEqual([]);
    expect((await ask("/nodes/node-1")).status).toBe(404);
    expect((await server.call("DELETE", `${base}/nodes/node-1`)).status).toBe(405);
  });
});
