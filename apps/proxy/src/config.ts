import { isIP } from "node:net";
import { hostname } from "node:os";
import { checkSubdomain1123, profileNames } from "@kintsugi/api";
import {
  type ConfiguredProgram,
  type FeatureConfig,
  featureConfig,
  featureFlags,
  flag,
  FlagError,
  type FlagValues,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import type { Address } from "./health/servers.ts";
import type { NamesOptions } from "./names/names-loop.ts";

/** The command line of the proxy, completed. */
export interface ProxyConfig {
  kubeconfig: string;
  nodeName: string;
  healthz: Address;
  metrics: Address;
  minSyncPeriodMs: number;
  syncPeriodMs: number;
  masqueradeAll: boolean;
  enforcesNetworkPolicies: boolean;
  guardsAllNodes: boolean;
  /** Undefined: pods may send from any address. */
  cniResultsDirectory: string | undefined;
  features: FeatureConfig["features"];
  /** Undefined: names are not answered here. */
  names: NamesOptions | undefined;
  logLevel: LogLevel;
}

/**
 * The file is upstream's kind; settings that upstream has only as flags stand in it under the
 * flag's name in camelCase.
 */
const program: ConfiguredProgram = {
  name: "proxy",
  description: "Forwards traffic for Services to their pods and serves their DNS names on the node that it runs on.",
  file: { apiVersion: "kubeproxy.config.k8s.io/v1alpha1", kind: "KubeProxyConfiguration" },
};

const flags = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and the client's credentials",
    required: true,
    example: "/etc/kintsugi/proxy.kubeconfig",
    key: "clientConnection.kubeconfig",
  }),
  "hostname-override": flag.text({ help: "Name of the node", fallback: hostname() }),
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
    help: "Ours: let the pods of this node have only the traffic that NetworkPolicies allow",
    fallback: true,
  }),
  "guard-pod-ports": flag.boolean({
    help: "Ours: let each pod of this node send from its own addresses alone, by rules of the bridge that the CNI plugin bridge made",
    fallback: true,
  }),
  "cni-results-dir": flag.path({
    help: "Ours: directory in which the library of CNI plugins records the networks of pods",
    placeholder: "directory",
    fallback: "/var/lib/cni/results",
  }),
  "guard-all-nodes": flag.boolean({
    help: "Ours: follow all Nodes while a Service has an external address, so that none leads a node's address elsewhere; an identity that may read its own Node alone needs false",
    fallback: true,
  }),
  dns: flag.boolean({ help: "Ours: serve the DNS names of Services to this node's pods", fallback: true }),
  "dns-bind-address": flag.list({
    help: "Ours: addresses to serve DNS on, at port 53 (default: the node's InternalIP)",
    example: ["192.0.2.11"],
  }),
  "cluster-domain": flag.text({ help: "Ours: domain of the cluster's names", fallback: "cluster.local" }),
  "resolv-conf": flag.path({
    help: "Ours: resolver configuration with the upstream servers of all other names",
    fallback: "/etc/resolv.conf",
    key: "resolvConf",
  }),
  ...featureFlags,
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string =>
  sampleFile(program, { ...flags, "hostname-override": { ...flags["hostname-override"], fallback: "node-1" } });

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): ProxyConfig {
  const given = readFlags(program, flags, argv);
  return {
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
    logLevel: given["log-level"],
  };
}

function namesFrom(given: FlagValues<typeof flags>): NamesOptions {
  const addresses = given["dns-bind-address"];
  for (const address of addresses ?? [])
    if (isIP(address) === 0)
      throw new FlagError(
        `--dns-bind-address must be addresses, as 192.0.2.11, not ${JSON.stringify(address)}: the port is always 53.`,
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
