import { createMetrics } from "@kintsugi/daemon";
import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { get } from "node:http";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ProxyState } from "../proxy.ts";
import { proxyHealth } from "./proxy-health.ts";
import { createHealthzServer, createMetricsServer } from "./servers.ts";

const well: ProxyState = { synced: true, waitingSinceMs: undefined, lastSyncedMs: 5_000, nodeEligible: true };
const times = { nowMs: 100_000, monotonicMs: 90_000, timeoutMs: 60_000 };
const now = "1970-01-01T00:01:40Z";

describe("health", () => {
  test.each([
    ["nothing waits", well, 200, 200],
    ["a change waits and is not late", { ...well, waitingSinceMs: 30_001 }, 200, 200],
    ["a change has waited too long", { ...well, waitingSinceMs: 30_000 }, 503, 503],
    ["the node is being deleted", { ...well, nodeEligible: false }, 503, 200],
    ["it has just started", { ...well, synced: false, lastSyncedMs: undefined }, 200, 200],
  ])("when %s", (_, state, healthz, livez) => {
    expect(proxyHealth("healthz", state, times).status).toBe(healthz);
    expect(proxyHealth("livez", state, times).status).toBe(livez);
  });

  test("reports since when the rules are current", () => {
    expect(proxyHealth("healthz", well, times).body).toEqual({
      lastUpdated: now,
      currentTime: now,
      nodeEligible: true,
    });
    expect(proxyHealth("livez", { ...well, waitingSinceMs: 0 }, times).body).toEqual({
      lastUpdated: "1970-01-01T00:00:05Z",
      currentTime: now,
    });
    expect(proxyHealth("livez", { ...well, waitingSinceMs: 0, lastSyncedMs: undefined }, times).body).toMatchObject({
      lastUpdated: "",
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function ask(port: number, path: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    }).on("error", reject);
  });
}

test("both ports answer without TLS, with upstream's pages and nothing else", async () => {
  const [healthPort, metricsPort] = [await freePort(), await freePort()];
  const stop = new AbortController();
  const deps = { clock: new VirtualClock(), log: silentLogger, metrics: createMetrics(), state: () => well };
  const running = [
    createHealthzServer(deps, { address: "127.0.0.1", port: healthPort, timeoutMs: 1 }).run(stop.signal),
    createMetricsServer(deps, { address: "127.0.0.1", port: metricsPort }).run(stop.signal),
  ];
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  expect(await ask(healthPort, "/healthz?verbose")).toMatchObject({ status: 200 });
  expect((await ask(healthPort, "/livez")).text).not.toContain("nodeEligible");
  expect(await ask(healthPort, "/metrics")).toEqual({ status: 404, text: "not found\n" });
  expect(await ask(metricsPort, "/proxyMode")).toEqual({ status: 200, text: "nftables" });
  expect((await ask(metricsPort, "/metrics")).text).toContain('kubeproxy_proxy_healthz_total{code="200"} 1\n');
});
