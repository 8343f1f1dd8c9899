import { type ApiObject, namespaces, networkPolicies, pods, silentLogger } from "@kintsugi/api";
import { createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, onTestFinished, test } from "vitest";
import { createPolicyLoop } from "./policy-loop.ts";

const options = { nodeName: "node-1", minSyncPeriodMs: 100, fullSyncPeriodMs: 3_600_000 };

async function start() {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const api = new MemoryApi({ clock, random }, [networkPolicies, pods, namespaces]);
  const client = createInProcessClient({ handler: api, clock, random }, { identity: { name: "proxy", groups: [] } });
  const scripts: string[] = [];
  const nft = { failure: undefined as string | undefined, apply };
  async function apply(script: string): Promise<void> {
    if (nft.failure !== undefined) throw new Error(nft.failure);
    scripts.push(script);
  }
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const put = (resource: string, object: object) => api.log.put(resource, object as ApiObject);
  put("namespaces", { metadata: { name: "ns" } });
  put("pods", aPod("web", "10.1.0.2"));
  void createPolicyLoop({ client, clock, random, log: silentLogger, nft }, options).run(stop.signal);
  await clock.advance(1000);
  return { clock, api, nft, scripts, put };
}

function aPod(name: string, podIP: string, changes: object = {}): object {
  const metadata = { name, namespace: "ns", labels: { app: name } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { nodeName: "node-1", containers: [] },
    status: { podIP, ...changes },
  };
}

const policy = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "p", namespace: "ns" },
  spec: { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { app: "client" } } }] }] },
};

test("a cluster without policies has no rules, and its pods are not read", async () => {
  const { api, scripts, clock } = await start();
  await clock.advance(60_000);
  expect(scripts).toHaveLength(1);
  expect(scripts[0]).not.toContain("chain");
  expect(api.requests.filter((request) => request.includes("/pods"))).toEqual([]);
});

test("rules follow policies and pods, are written once for many changes, and are removed with the last policy", async () => {
  const { clock, scripts, put, api } = await start();
  put("networkpolicies", policy);
  await clock.advance(200);
  expect(scripts.at(-1)).toContain("10.1.0.2 : jump ingress-10.1.0.2");
  const before = scripts.length;
  for (let i = 3; i < 9; i++) put("pods", aPod(`client-${i}`, `10.1.1.${i}`));
  put("pods", { ...aPod("client", "10.1.1.9") });
  await clock.advance(300);
  expect(scripts.length - before).toBeLessThanOrEqual(2);
  expect(scripts.at(-1)).toContain("elements = { 10.1.1.9 }");
  const settled = scripts.length;
  // Conditions of pods change all the time, and no rule depends on them.
  put("pods", aPod("web", "10.1.0.2", { conditions: [{ type: "Ready", status: "True" }] }));
  await clock.advance(5000);
  expect(scripts).toHaveLength(settled);
  api.log.delete("networkpolicies", policy as unknown as ApiObject);
  await clock.advance(500);
  expect(scripts.at(-1)).not.toContain("chain");
});

test("rules that the kernel rejects are tried again, and are written again after an hour", async () => {
  const { clock, scripts, put, nft } = await start();
  nft.failure = "Device or resource busy";
  put("networkpolicies", policy);
  await clock.advance(3000);
  expect(scripts).toHaveLength(1);
  nft.failure = undefined;
  await clock.advance(10_000);
  expect(scripts).toHaveLength(2);
  await clock.advance(2 * 3_600_000);
  expect(scripts.length).toBeGreaterThanOrEqual(3);
});
