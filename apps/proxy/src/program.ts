import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { checkSubdomain1123, profileNames } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  createMetrics,
  defineService,
  featureConfig,
  featureFlags,
  flag,
  FlagError,
  type FlagValues,
  followFiles,
  type Loop,
  recordFeatures,
  version,
} from "@kintsugi/daemon";
import { createClusterBus } from "@kintsugi/watch-stream";
import { ServerAddresses } from "./cluster/server-addresses.ts";
import { systemConntrack } from "./conntrack/conntrack.ts";
import { createProxy, type Proxy } from "./factory.ts";
import { proxyHealth } from "./health/proxy-health.ts";
import { type Address, createHealthzServer, createMetricsServer } from "./health/servers.ts";
import { ServiceHealthServers } from "./health/service-health.ts";
import { createNamesLoop, type NamesOptions } from "./names/names-loop.ts";
import { bridgeBypassesRules } from "./nft/bridge.ts";
import { nftIn } from "./nft/system-nft.ts";
import { createPolicyLoop, type PolicyLoopDeps } from "./policies/policy-loop.ts";
import { CniRecords } from "./pod-ports/cni-records.ts";
import { createPodPortsLoop } from "./pod-ports/pod-ports-loop.ts";

/** Upstream's interval at which the table is written as a whole. */
const fullSyncPeriodMs = 3_600_000;

const nodeNameFlag = { help: "Name of the node", fallback: hostname() };

const options = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and the client's credentials",
    required: true,
    example: "/etc/kintsugi/proxy.kubeconfig",
    key: "clientConnection.kubeconfig",
  }),
  "hostname-override": flag.text(nodeNameFlag),
  "healthz-bind-address": flag.text({
    help: "Address and port to serve health on, without authentication",
    placeholder: "address:port",
    fallback: "0.0.0.0:10256",
  }),
  "metrics-bind-address": flag.text({
    help: "Address and port to serve metrics on, without TLS",
    placeholder: "address:port",
    fallback: "127.0.0.1:10249",
  }),
  "nftables-min-sync-period": flag.durationMs({
    help: "Shortest interval between two changes of the rules",
    key: "nftables.minSyncPeriod",
    byProfile: (timers) => timers.proxyMinSyncPeriodMs,
  }),
  "nftables-sync-period": flag.durationMs({
    help: "Interval at which the rules are compared with the cluster without a change",
    fallback: 30_000,
    key: "nftables.syncPeriod",
  }),
  "masquerade-all": flag.boolean({
    help: "Masquerade all traffic to cluster IPs with the node's address",
    fallback: false,
    key: "nftables.masqueradeAll",
  }),
  "enforce-network-policies": flag.boolean({
    help: "Kintsugi's own: limit the traffic of this node's pods to the traffic that NetworkPolicies allow",
    fallback: true,
  }),
  "guard-pod-ports": flag.boolean({
    help: "Kintsugi's own: let each pod of this node send only from its own addresses, by rules of the bridge that the CNI plugin bridge made",
    fallback: true,
  }),
  "cni-results-dir": flag.path({
    help: "Kintsugi's own: directory in which the library of CNI plugins records the networks of pods",
    placeholder: "directory",
    fallback: "/var/lib/cni/results",
  }),
  "guard-all-nodes": flag.boolean({
    help: "Kintsugi's own: watch all Nodes while a Service has an external address, so that no Service redirects a node's address; must be false for an identity that may read only its own Node",
    fallback: true,
  }),
  dns: flag.boolean({ help: "Kintsugi's own: serve the DNS names of Services to this node's pods", fallback: true }),
  "dns-bind-address": flag.list({
    help: "Kintsugi's own: addresses to serve DNS on, at port 53 (default: the node's InternalIP)",
    example: ["192.0.2.11"],
  }),
  "cluster-domain": flag.text({ help: "Kintsugi's own: domain of the cluster's names", fallback: "cluster.local" }),
  "resolv-conf": flag.path({
    help: "Kintsugi's own: resolver configuration with the upstream servers of all other names",
    fallback: "/etc/resolv.conf",
    key: "resolvConf",
  }),
  ...featureFlags,
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
} as const;

/**
 * The file has upstream's kind. Settings that upstream has only as flags are in the file under the
 * flag's name in camelCase.
 */
export const program = defineService({
  name: "proxy",
  description: "Forwards traffic for Services to their pods and serves their DNS names on its own node.",
  file: { apiVersion: "kubeproxy.config.k8s.io/v1alpha1", kind: "KubeProxyConfiguration" },
  options,
  sampled: { "hostname-override": flag.text({ ...nodeNameFlag, fallback: "node-1" }) },
  read: (given) => ({
    kubeconfig: given.kubeconfig,
    nodeName: given["hostname-override"],
    healthz: parseAddress("healthz-bind-address", given["healthz-bind-address"]),
    metrics: parseAddress("metrics-bind-address", given["metrics-bind-address"]),
    minSyncPeriodMs: given["nftables-min-sync-period"],
    syncPeriodMs: given["nftables-sync-period"],
    masqueradeAll: given["masquerade-all"],
    enforcesNetworkPolicies: given["enforce-network-policies"],
    guardsAllNodes: given["guard-all-nodes"],
    cniResultsDirectory: given["guard-pod-ports"] ? given["cni-results-dir"] : undefined,
    features: featureConfig(given).features,
    names: given.dns ? namesFrom(given) : undefined,
  }),
  async start(config, log) {
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
  },
});

interface GuardOptions {
  readonly nodeName: string;
  readonly minSyncPeriodMs: number;
  readonly enforcesNetworkPolicies: boolean;
  /** Undefined: pods may send from any address. */
  readonly cniResultsDirectory: string | undefined;
}

/** The loops that block packets of pods that may not send or receive these packets. */
function guardLoops(deps: PolicyLoopDeps & { proxy: Proxy }, config: GuardOptions): Loop[] {
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

function namesFrom(given: FlagValues<typeof options>): NamesOptions {
  const addresses = given["dns-bind-address"];
  for (const address of addresses ?? [])
    if (isIP(address) === 0)
      throw new FlagError(
        `--dns-bind-address must be addresses, such as 192.0.2.11, not ${JSON.stringify(address)}: the port is always 53.`,
      );
  const domain = given["cluster-domain"].toLowerCase().replace(/\.$/, "");
  const [because] = checkSubdomain1123(domain);
  if (because !== undefined) throw new FlagError(`--cluster-domain ${JSON.stringify(domain)}: ${because}`);
  return { addresses, domain, resolvConf: given["resolv-conf"] };
}

function parseAddress(name: string, text: string): Address {
  const [, address = "", port = ""] = /^\[?([^\]]*)\]?:(\d+)$/.exec(text) ?? [];
  if (isIP(address) === 0 || Number(port) > 65_535)
    throw new FlagError(`--${name} must be an address and a port, as in 127.0.0.1:10256, not ${JSON.stringify(text)}.`);
  return { address, port: Number(port) };
}
