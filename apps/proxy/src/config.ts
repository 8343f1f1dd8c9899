import { isIP } from "node:net";
import { hostname } from "node:os";
import { checkSubdomain1123, profileNames } from "@kintsugi/api";
import {
  type ConfiguredProgram,
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
  /** Undefined: names are not answered here. */
  names: NamesOptions | undefined;
  logLevel: LogLevel;
}

/** The file is upstream's kind; what upstream has only as flags stands in it under the flag's name in camelCase. */
const program: ConfiguredProgram = {
  name: "proxy",
  description: "Leads what is sent to Services to their pods, and answers their names, on the node that it runs on.",
  file: { apiVersion: "kubeproxy.config.k8s.io/v1alpha1", kind: "KubeProxyConfiguration" },
};

const flags = {
  kubeconfig: flag.path({
    help: "Where the API server is and as whom to speak to it",
    required: true,
    example: "/etc/kintsugi/proxy.kubeconfig",
    key: "clientConnection.kubeconfig",
  }),
  "hostname-override": flag.text({ help: "The node's name", fallback: hostname() }),
  "healthz-bind-address": flag.text({
    help: "Address and port to serve health on, for everybody",
    placeholder: "address:port",
    fallback: "0.0.0.0:10256",
  }),
  "metrics-bind-address": flag.text({
    help: "Address and port to serve metrics on, without TLS",
    placeholder: "address:port",
    fallback: "127.0.0.1:10249",
  }),
  "nftables-min-sync-period": flag.durationMs({
    help: "Shortest time from one change of the rules to the next",
    key: "nftables.minSyncPeriod",
    byProfile: (timers) => timers.proxyMinSyncPeriodMs,
  }),
  "nftables-sync-period": flag.durationMs({
    help: "The rules are compared with the cluster this often, whatever happens",
    fallback: 30_000,
    key: "nftables.syncPeriod",
  }),
  "masquerade-all": flag.boolean({
    help: "Everything that goes to a cluster IP leaves with the node's address",
    fallback: false,
    key: "nftables.masqueradeAll",
  }),
  dns: flag.boolean({ help: "Ours: answers the names of Services, for this node's pods", fallback: true }),
  "dns-bind-address": flag.list({
    help: "Ours: where names are answered, on port 53 (default: at the node's InternalIP)",
    example: ["192.0.2.11"],
  }),
  "cluster-domain": flag.text({ help: "Ours: the domain of the cluster's names", fallback: "cluster.local" }),
  "resolv-conf": flag.path({
    help: "Ours: names who is asked for all other names",
    fallback: "/etc/resolv.conf",
    key: "resolvConf",
  }),
  profile: flag.choice(profileNames, { help: "Timers set together", fallback: "default" }),
  "log-level": flag.choice(logLevels, { help: "What is logged", fallback: "info" }),
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
