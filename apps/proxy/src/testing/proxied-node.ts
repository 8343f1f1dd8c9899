import { type ApiObject, endpointSlices, type Metrics, nodes, services, silentLogger } from "@kintsugi/api";
import { createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { onTestFinished } from "vitest";
import type { UdpDestinations } from "../conntrack/stale-flows.ts";
import { createProxy, type Proxy, type ProxyOptions } from "../proxy.ts";
import { ModelNft } from "./model-nft.ts";

const options: ProxyOptions = {
  nodeName: "node-1",
  guardsAllNodes: true,
  minSyncPeriodMs: 100,
  syncPeriodMs: 30_000,
  fullSyncPeriodMs: 3_600_000,
  masqueradeAll: false,
  bridgeBypassesRules: false,
};

/** The values that were set, counted, or observed, by name. */
function listeningMetrics() {
  const seen: Record<string, number[]> = {};
  const note = (name: string) => (value: number) => void (seen[name] ??= []).push(value);
  const metrics: Metrics = {
    counter: ({ name }) => ({ add: note(name), remove() {} }),
    gauge: ({ name }) => ({ set: note(name), remove() {}, reset() {} }),
    histogram: ({ name }) => ({ observe: note(name), remove() {} }),
  };
  return { metrics, seen };
}

/**
 * A node's packet filter, an API in memory, and a proxy between them that can be killed and
 * restarted.
 */
export function proxiedNode(changes: Partial<ProxyOptions> = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const api = new MemoryApi({ clock, random }, [services, endpointSlices, nodes]);
  const client = createInProcessClient({ handler: api, clock, random }, { identity: { name: "proxy", groups: [] } });
  const nft = new ModelNft(() => clock.monotonicMs());
  const { metrics, seen } = listeningMetrics();
  const forgotten: UdpDestinations[] = [];
  const conntrack = { forgetStale: async (destinations: UdpDestinations) => void forgotten.push(destinations) };
  let stop = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const start = async (): Promise<Proxy> => {
    stop = new AbortController();
    const proxy = createProxy(
      { client, clock, random, log: silentLogger, metrics, nft, conntrack, controlPlane: () => ["192.0.2.9"] },
      { ...options, ...changes },
    );
    ended = proxy.run(stop.signal).catch((error: unknown) => error);
    await clock.settle();
    return proxy;
  };
  onTestFinished(() => stop.abort());
  return {
    clock,
    api,
    nft,
    seen,
    forgotten,
    start,
    kill: () => stop.abort(),
    /** The error of the proxy that was started last; undefined where the proxy has not failed. */
    ended: () => ended,
    put: (resource: string, object: object) => api.log.put(resource, object as ApiObject),
    remove: (resource: string, object: object) => api.log.delete(resource, object as ApiObject),
    /**
     * Returns the addresses to which the kernel's table directs the Service; undefined without a
     * rule.
     */
    leadsTo(address = "10.96.0.10 . tcp . 80") {
      const verdict = nft.elements("service-ips").find((element) => element.startsWith(`${address} : `));
      const chain = verdict?.split("goto ")[1];
      if (chain === undefined) return undefined;
      const ways = (nft.chain(chain) ?? []).filter((rule) => rule.startsWith("numgen")).join();
      return [...ways.matchAll(/__([0-9.]+)\/\d+/g)].map(([, to]) => to);
    },
  };
}

/** The Node "node-1" as its kubelet registers it. */
export const registeredNode = (spec = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-1", labels: {} },
  spec: { podCIDR: "10.1.0.0/24", ...spec },
  status: {
    addresses: [
      { type: "InternalIP", address: "192.0.2.1" },
      { type: "Hostname", address: "node-1" },
    ],
  },
});
