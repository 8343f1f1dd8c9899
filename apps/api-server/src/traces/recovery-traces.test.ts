import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger } from "@kintsugi/api";
import type { TraceSpan } from "@kintsugi/story";
import { expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { createOtlpTraceSink } from "./otlp-trace-sink.ts";
import type { TraceSink } from "./recovery-traces.ts";

const statusOf = (status: string) => ({ status: { conditions: [{ type: "Ready", status }] } });

/** Stops a node with a pod of a ReplicaSet, and waits until the pod is replaced on another node. */
async function recover(server: TestServer, { node }: { node: string }): Promise<void> {
  const template = { metadata: { labels: { app: "web" } }, spec: aPod("x").spec };
  await server.post("/apis/apps/v1/namespaces/default/replicasets", {
    metadata: { name: "web" },
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template },
  });
  await server.post("/api/v1/nodes", { metadata: { name: node } });
  const ready = (name: string) => server.patch(`${podsPath}/${name}/status`, statusOf("True"));
  const bind = (name: string, target: string) =>
    server.post(`${podsPath}/${name}/binding`, { metadata: { name }, target: { name: target } });
  await server.patch(`/api/v1/nodes/${node}/status`, statusOf("True"));
  await server.post(podsPath, aPod("web-bbbbb"));
  await bind("web-bbbbb", node);
  await ready("web-bbbbb");
  await server.clock.advance(60_000);
  await server.patch(`/api/v1/nodes/${node}/status`, statusOf("Unknown"));
  await server.clock.advance(7_000);
  await server.delete(`${podsPath}/web-bbbbb`);
  await server.clock.advance(1_000);
  await server.post(podsPath, aPod("web-ccccc"));
  await bind("web-ccccc", "other");
  await server.clock.advance(2_000);
  await ready("web-ccccc");
}

interface Sent {
  readonly trace: TraceSpan;
  readonly identity: string;
}

function collectingSink(): TraceSink & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  return { sent, send: async (trace, identity) => void sent.push({ trace, identity }) };
}

test("a recovery is sent once, after a quiet period without new steps", async () => {
  const traceSink = collectingSink();
  await using server = await TestServer.start({ defaultUnreachableTolerationSeconds: 5 }, { traceSink });
  await recover(server, { node: "n1" });
  await server.clock.advance(5_000);
  expect(traceSink.sent).toEqual([]);
  await server.clock.advance(30_000);
  await server.patch("/api/v1/nodes/n1/status", statusOf("True"));
  await server.clock.advance(60_000);
  expect(traceSink.sent).toHaveLength(1);
  const [{ trace, identity } = { trace: undefined, identity: "" }] = traceSink.sent;
  expect(identity).toMatch(/^[\w-]+\/n1\/\d+$/);
  expect(trace?.attributes).toEqual({
    "k8s.node.name": "n1",
    "kintsugi.recovery.over": true,
    "kintsugi.recovery.pods": 1,
  });
  const phases = trace?.parts.map(({ name, fromMs, toMs, attributes }) => [
    name,
    toMs - fromMs,
    attributes["kintsugi.timer_ms"],
  ]);
  expect(phases).toEqual([
    ["pods are tolerated on the node", 7_000, 5_000],
    ["successors are created", 1_000, 0],
    ["successors start", 2_000, 0],
    ["pod is replaced", 3_000, undefined],
  ]);
});

test("a node that returns and fails again has two recoveries", async () => {
  const traceSink = collectingSink();
  await using server = await TestServer.start({}, { traceSink });
  await server.post("/api/v1/nodes", { metadata: { name: "n1" } });
  for (const status of ["True", "Unknown", "True", "Unknown", "True"]) {
    await server.patch("/api/v1/nodes/n1/status", statusOf(status));
    await server.clock.advance(20_000);
  }
  expect(traceSink.sent.map(({ trace }) => trace.parts.map(({ name }) => name))).toEqual([
    ["node returns"],
    ["node returns"],
  ]);
  expect(new Set(traceSink.sent.map(({ identity }) => identity)).size).toBe(2);
});

test("an unfinished recovery of a node without pods is sent after an hour", async () => {
  const traceSink = collectingSink();
  await using server = await TestServer.start({}, { traceSink });
  await server.post("/api/v1/nodes", { metadata: { name: "n1" } });
  await server.patch("/api/v1/nodes/n1/status", statusOf("Unknown"));
  await server.clock.advance(59 * 60_000);
  expect(traceSink.sent).toEqual([]);
  await server.clock.advance(2 * 60_000);
  expect(traceSink.sent.map(({ trace }) => trace.attributes["kintsugi.recovery.over"])).toEqual([false]);
});

test("a sink that fails causes a warning, and the next recovery is sent", async () => {
  const warned: string[] = [];
  const log = { ...silentLogger, warn: (phrase: string) => void warned.push(phrase) };
  const sent: string[] = [];
  const traceSink: TraceSink = {
    send: async (_trace, identity) => {
      sent.push(identity);
      if (sent.length === 1) throw new Error("refused");
    },
  };
  await using server = await TestServer.start({}, { traceSink, log });
  await server.post("/api/v1/nodes", { metadata: { name: "n1" } });
  for (const status of ["Unknown", "True", "Unknown", "True"]) {
    await server.patch("/api/v1/nodes/n1/status", statusOf(status));
    await server.clock.advance(20_000);
  }
  expect(warned).toEqual(["trace of a recovery cannot be sent"]);
  expect(sent).toHaveLength(2);
});

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { stringValue: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A receiver of OTLP over HTTP, as a real collector is. */
async function startReceiver(status = 200) {
  const requests: { path: string; type: string; body: OtlpRequest }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest;
      requests.push({ path: request.url ?? "", type: request.headers["content-type"] ?? "", body });
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { requests, endpoint, [Symbol.asyncDispose]: close };
}

test("a collector receives a single trace over OTLP/HTTP with nested spans", async () => {
  await using receiver = await startReceiver();
  await using otlp = createOtlpTraceSink({ endpoint: receiver.endpoint, clusterName: "lab" });
  const sends: Promise<void>[] = [];
  const traceSink: TraceSink = {
    send: async (...given) => {
      // A trace that is sent twice is stored once.
      const sending = otlp.send(...given).then(() => otlp.send(...given));
      sends.push(sending);
      await sending;
    },
  };
  {
    await using server = await TestServer.start({}, { traceSink });
    await recover(server, { node: "n1" });
    await server.clock.advance(30_000);
    await Promise.all(sends);
  }
  const [first, second] = receiver.requests;
  expect(first).toMatchObject({ path: "/v1/traces", type: "application/json" });
  expect(second?.body).toEqual(first?.body);
  const [resourceSpans] = first?.body.resourceSpans ?? [];
  const attributes = new Map(resourceSpans?.resource.attributes.map(({ key, value }) => [key, value.stringValue]));
  expect([attributes.get("service.name"), attributes.get("k8s.cluster.name")]).toEqual(["kintsugi", "lab"]);
  const spans = resourceSpans?.scopeSpans.flatMap((scope) => scope.spans) ?? [];
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
  const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  expect(nameOf.size).toBe(spans.length);
  const tree = spans.map(({ name, parentSpanId }) => `${nameOf.get(parentSpanId ?? "") ?? "no span"} > ${name}`);
  expect(new Set(tree)).toEqual(
    new Set([
      "no span > recovery",
      "recovery > pods are tolerated on the node",
      "recovery > successors are created",
      "recovery > successors start",
      "recovery > pod is replaced",
      "pod is replaced > successor is placed",
      "pod is replaced > successor starts",
    ]),
  );
  expect(spans).toHaveLength(7);
  for (const span of spans) {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId) ?? span;
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano));
    expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent.endTimeUnixNano));
  }
});

test("a collector's refusal of a trace is an error of its sender", async () => {
  await using receiver = await startReceiver(400);
  await using otlp = createOtlpTraceSink({ endpoint: receiver.endpoint, clusterName: "lab" });
  const trace = { name: "recovery", fromMs: 0, toMs: 1, attributes: {}, parts: [] };
  await expect(otlp.send(trace, "x/n1/7")).rejects.toThrow("/v1/traces rejects traces: Bad Request");
});
