import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { Loop } from "@kintsugi/daemon";
import { Forwarder, NameServer, Resolver } from "@kintsugi/dns";
import type { Proxy } from "../proxy.ts";
import { isOfNode } from "./of-node.ts";
import { OtherServers } from "./other-servers.ts";

export interface NamesDeps {
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  proxy: Pick<Proxy, "directory" | "node">;
}

export interface NamesOptions {
  /**
   * The addresses at which DNS queries are answered; undefined: the address that the status of its
   * Node lists.
   */
  addresses: readonly string[] | undefined;
  /** The cluster's domain: "cluster.local". */
  domain: string;
  /** The file with the servers for all other names. */
  resolvConf: string;
}

/**
 * CoreDNS's default: a Service's address may change, and pods should not continue to use the old
 * address.
 */
const ttlSeconds = 5;
/** A Node is registered by its kubelet, which may start later. */
const addressPollMs = 250;

/**
 * Answers DNS queries of this node's pods: names of Services from the proxy's directory, and other
 * names by querying the node's own servers.
 */
export function createNamesLoop(deps: NamesDeps, options: NamesOptions): Loop {
  const { clock, log, proxy } = deps;
  const { domain, resolvConf } = options;
  return {
    name: "name server",
    async run(signal) {
      const addresses = options.addresses ?? (await nodeAddress(deps, signal));
      const others = new OtherServers(deps, { resolvConf, own: addresses });
      const forwarder = new Forwarder({ ...deps, servers: () => others.list() });
      // Only the node itself can reach a server on a loopback address.
      const servers = addresses.filter((address) => !address.startsWith("127."));
      const isOwn = (address: string) => isOfNode(proxy.node(), address);
      const resolver = new Resolver(
        { ...deps, directory: proxy.directory, forwarder, isOwn },
        { domain, ttlSeconds, servers },
      );
      const server = new NameServer(
        { clock, log, resolver },
        {
          port: 53,
          otherwise:
            "choose another address with --dns-bind-address, and set the kubelet's --cluster-dns to the same address",
        },
      );
      await Promise.all(addresses.map((address) => server.run(address, signal)));
    },
  };
}

/** Empty when the signal aborts before the Node exists. */
async function nodeAddress({ clock, proxy }: NamesDeps, signal: AbortSignal): Promise<string[]> {
  for (; !signal.aborted; await clock.sleep(addressPollMs, signal).catch(() => {})) {
    const [address] = proxy.node().addresses;
    if (address !== undefined) return [address];
  }
  return [];
}
