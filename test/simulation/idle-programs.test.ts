import {
  type ApiObject,
  endpointSlices,
  ingressClasses,
  ingresses,
  parseIpv4Range,
  type ResourceType,
  secrets,
  silentLogger,
  silentMetrics,
} from "@kintsugi/api";
import { createInProcessClient, type RequestHandler } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { type Clock, sleepOn, untilAborted } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { type CloudProvider, emptyRecord } from "@kintsugi/cloud";
import { aGroup, FakeLabCloud } from "@kintsugi/cloud/simulated";
import { runCloudControllers } from "@kintsugi/cloud-controller-manager/factory";
import { runClusterAutoscaler, upstreamOptions } from "@kintsugi/cluster-autoscaler/factory";
import { createIngressController } from "@kintsugi/ingress-controller/factory";
import { createProxy, type ProxyDeps } from "@kintsugi/proxy/factory";
import { expect, onTestFinished, test } from "vitest";
import { cloudKinds } from "./cloud/cloud-run.ts";

// Programs of an idle cluster that are not part of the simulation: cloud controller manager,
// autoscaler, ingress controller and the proxy of a node. They manage a machine of the cloud, a
// Service with an endpoint, and an Ingress.

const minute = 60_000;
const minutes = 5;
/** Timers per minute: 8 to 25 are usual, most of them checks of the cloud. */
const wakeUpsMax = 60;
/** Requests per minute: 3 to 12 are usual, most of them the autoscaler's status. */
const requestsMax = 30;
/** Calls of the cloud, the packet filter and the gateway per minute: 0 to 12 are usual. */
const callsMax = 30;

/** The actions of one program. */
interface Count {
  wakeUps: number;
  requests: number;
  calls: number;
}

const kinds: readonly ResourceType[] = [...cloudKinds, endpointSlices, ingressClasses, ingresses, secrets];

test("cloud, ingress and proxy programs of an idle cluster wake up a limited number of times, and send as few requests", async () => {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const api = new MemoryApi({ clock, random }, kinds);
  const cloud = new FakeLabCloud({ random }, { ...emptyRecord, groups: [aGroup("pool")] });
  cloud.host.add("node-1");
  putObjects(api);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const counts = new Map<string, Count>();
  const ended: unknown[] = [];

  function start(name: string, run: (deps: ReturnType<typeof depsOf>, count: Count) => Promise<unknown>): void {
    const count = { wakeUps: 0, requests: 0, calls: 0 };
    counts.set(name, count);
    run(depsOf(count), count).catch((error: unknown) => void (stop.signal.aborted || ended.push(error)));
  }

  function depsOf(count: Count) {
    const own = countTimers(clock, count);
    const client = createInProcessClient(
      { handler: countRequests(api, count), clock: own, random },
      { identity: { name: "program", groups: [] } },
    );
    return { client, clock: own, random, log: silentLogger, metrics: silentMetrics };
  }

  start("cloud-controller-manager", (deps, count) => {
    const timers = { nodeMonitorPeriodMs: 5_000, nodeStatusUpdateMs: 5 * minute, serviceSyncPeriodMs: minute };
    const routes = { clusterRange: parseIpv4Range("10.0.0.0/8"), periodMs: 10_000 };
    return runCloudControllers({ ...deps, cloud: countCalls(cloud, count) }, { timers, routes }, stop.signal);
  });
  start("cluster-autoscaler", (deps, count) =>
    runClusterAutoscaler({ ...deps, cloud: countCalls(cloud, count) }, { scaling: upstreamOptions }, stop.signal),
  );
  start("ingress-controller", (deps, count) => {
    const gateway = { serve: async () => void count.calls++, run: untilAborted };
    return createIngressController({ ...deps, gateway }, { publishAddress: "192.0.2.1", minSyncPeriodMs: 500 }).run(
      stop.signal,
    );
  });
  start("proxy", (deps, count) => {
    const nft: ProxyDeps["nft"] = {
      apply: async () => void count.calls++,
      present: async () => ({ chains: new Set(), affinitySets: new Set() }),
    };
    const conntrack = { forgetStale: async () => {} };
    return createProxy(
      { ...deps, nft, conntrack, controlPlane: () => ["192.0.2.9"] },
      {
        nodeName: "node-1",
        guardsAllNodes: true,
        minSyncPeriodMs: 1_000,
        syncPeriodMs: 30_000,
        fullSyncPeriodMs: 60 * minute,
        masqueradeAll: false,
        bridgeBypassesRules: false,
      },
    ).run(stop.signal);
  });

  await clock.advance(3 * minute);
  const before = structuredClone(counts);
  await clock.advance(minutes * minute);
  expect(ended).toEqual([]);
  for (const [name, count] of counts) {
    const perMinute = (what: keyof Count) => (count[what] - (before.get(name)?.[what] ?? 0)) / minutes;
    expect(count.requests, `requests of ${name} since its start`).toBeGreaterThan(0);
    expect(count.calls, `calls of ${name} since its start`).toBeGreaterThan(0);
    expect(perMinute("wakeUps"), `wake-ups of ${name} in a minute`).toBeGreaterThan(0);
    expect(perMinute("wakeUps"), `wake-ups of ${name} in a minute`).toBeLessThan(wakeUpsMax);
    expect(perMinute("requests"), `requests of ${name} in a minute`).toBeLessThan(requestsMax);
    expect(perMinute("calls"), `calls of ${name} in a minute`).toBeLessThan(callsMax);
  }
});

function countTimers(clock: Clock, count: Count): Clock {
  const counting: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    nextTurn: () => clock.nextTurn(),
    sleep: (delayMs, signal, kind) => sleepOn(counting, delayMs, { signal, kind }),
    after(delayMs, callback, kind) {
      const fire = () => {
        count.wakeUps++;
        callback();
      };
      return clock.after(delayMs, fire, kind);
    },
  };
  return counting;
}

function countRequests(api: RequestHandler, count: Count): RequestHandler {
  return {
    handle(request) {
      count.requests++;
      return api.handle(request);
    },
  };
}

function countCalls(cloud: CloudProvider, count: Count): CloudProvider {
  return new Proxy(cloud, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        count.calls++;
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

function putObjects(api: MemoryApi): void {
  const put = (resource: string, apiVersion: string, object: object) =>
    api.log.put(resource, { apiVersion, ...object } as unknown as ApiObject);
  const inShop = (name: string) => ({ name, namespace: "shop", uid: name });
  put("namespaces", "v1", { kind: "Namespace", metadata: { name: "shop" } });
  put("nodes", "v1", {
    kind: "Node",
    metadata: { name: "node-1", labels: {} },
    spec: { podCIDR: "10.1.0.0/24" },
    status: {
      addresses: [{ type: "InternalIP", address: "192.0.2.1" }],
      conditions: [{ type: "Ready", status: "True" }],
      capacity: { cpu: "2", memory: "4Gi", pods: "20" },
      allocatable: { cpu: "2", memory: "4Gi", pods: "20" },
    },
  });
  put("services", "v1", {
    kind: "Service",
    metadata: inShop("web"),
    spec: {
      type: "LoadBalancer",
      clusterIP: "10.96.0.10",
      clusterIPs: ["10.96.0.10"],
      selector: { app: "web" },
      ports: [{ port: 80, targetPort: 80, nodePort: 30_080, protocol: "TCP" }],
    },
  });
  put("endpointslices", "discovery.k8s.io/v1", {
    kind: "EndpointSlice",
    metadata: { ...inShop("web-1"), labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    ports: [{ port: 80, protocol: "TCP" }],
    endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready: true } }],
  });
  put("ingressclasses", "networking.k8s.io/v1", {
    kind: "IngressClass",
    metadata: { name: "kintsugi", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
    spec: { controller: "kintsugi.dev/ingress" },
  });
  const backend = { service: { name: "web", port: { number: 80 } } };
  put("ingresses", "networking.k8s.io/v1", {
    kind: "Ingress",
    metadata: inShop("web"),
    spec: {
      ingressClassName: "kintsugi",
      rules: [{ host: "a.example", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  });
}
