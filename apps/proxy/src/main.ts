import { lookup } from "node:dns/promises";
import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createMetrics, followFiles, type Loop, recordFeatures, runService, version } from "@kintsugi/daemon";
import { createClusterBus } from "@kintsugi/watch-stream";
import { ServerAddresses } from "./cluster/server-addresses.ts";
import { type ProxyConfig, readConfig } from "./config.ts";
import { systemConntrack } from "./conntrack/conntrack.ts";
import { createProxy, type Proxy } from "./factory.ts";
import { createNamesLoop } from "./names/names-loop.ts";
import { proxyHealth } from "./health/proxy-health.ts";
import { ServiceHealthServers } from "./health/service-health.ts";
import { createHealthzServer, createMetricsServer } from "./health/servers.ts";
import { bridgeBypassesRules } from "./nft/bridge.ts";
import { createPolicyLoop, type PolicyLoopDeps } from "./policies/policy-loop.ts";
import { CniRecords } from "./pod-ports/cni-records.ts";
import { createPodPortsLoop } from "./pod-ports/pod-ports-loop.ts";
import { nftIn } from "./nft/system-nft.ts";

/** Upstream's: the table is written whole this often. */
const fullSyncPeriodMs = 3_600_000;

void runService({ name: "proxy", configure: readConfig, start });

async function start(config: ProxyConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  recordFeatures(metrics, config.features);
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: `kintsugi-proxy/v${version}` },
  );
  const bus = createClusterBus(
    { clock, log, call: (request) => client.call(request) },
    { service: `proxy ${config.nodeName}`, ca: access.ca ?? "" },
  );
  const serverAddresses = new ServerAddresses({
    clock,
    log,
    urls: () => [access.server, ...(access.servers ?? []), ...bus.servers()],
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  });
  const { nodeName, minSyncPeriodMs, syncPeriodMs, masqueradeAll } = config;
  const nft = nftIn(["nft"]);
  // Upstream's rule: a change that has waited for two periods is late.
  const timeoutMs = 2 * syncPeriodMs;
  const proxyHealthy = () => {
    const times = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), timeoutMs };
    return proxyHealth("healthz", proxy.state, times).status === 200;
  };
  const serviceHealth = new ServiceHealthServers({ log, proxyHealthy });
  const proxy: Proxy = createProxy(
    {
      client,
      changes: bus.changes,
      clock,
      random,
      log,
      metrics,
      nft,
      conntrack: systemConntrack(log),
      controlPlane: () => serverAddresses.list(),
      serviceHealth,
    },
    {
      nodeName,
      guardsAllNodes: config.guardsAllNodes,
      minSyncPeriodMs,
      syncPeriodMs,
      fullSyncPeriodMs,
      masqueradeAll,
      bridgeBypassesRules: await bridgeBypassesRules(log),
    },
  );
  const servers = { clock, log, metrics, state: () => proxy.state };
  return [
    createHealthzServer(servers, { ...config.healthz, timeoutMs }),
    createMetricsServer(servers, config.metrics),
    bus,
    serverAddresses,
    followFiles({ clock, log }, followed),
    { name: "proxy", run: (signal) => proxy.run(signal) },
    ...guardLoops({ client, changes: bus.changes, clock, random, log, nft, proxy }, config),
    ...(config.names === undefined ? [] : [createNamesLoop({ clock, random, log, metrics, proxy }, config.names)]),
  ];
}

/** The loops that keep packets from pods that may not send or receive them. */
function guardLoops(deps: PolicyLoopDeps & { proxy: Proxy }, config: ProxyConfig): Loop[] {
  const { clock, log, nft, proxy } = deps;
  const { nodeName, minSyncPeriodMs, cniResultsDirectory: records } = config;
  const loops: Loop[] = [];
  if (config.enforcesNetworkPolicies)
    loops.push(createPolicyLoop(deps, { nodeName, minSyncPeriodMs, fullSyncPeriodMs }));
  if (records !== undefined) {
    const podCidr = () => proxy.node().podCidr;
    loops.push(createPodPortsLoop({ clock, log, nft, records: new CniRecords(records), podCidr }));
  }
  return loops;
}
