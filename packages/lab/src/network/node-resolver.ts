import { readFile } from "node:fs/promises";
import { parseResolvConf } from "@kintsugi/daemon";

/** The name servers that the nodes of this host query for names outside of the cluster. */
export interface NodeResolver {
  /** The file with name servers that nodes can reach. Default: /etc/resolv.conf. */
  readonly resolvConf: string | undefined;
  /**
   * Servers of /etc/resolv.conf at loopback addresses. A node does not have servers at these
   * addresses, so the node's proxy responds there to the node's own programs.
   */
  readonly stubs: readonly string[];
}

/** The upstream servers of systemd-resolved; kubeadm configures kubelets with this file too. */
const behindSystemd = "/run/systemd/resolve/resolv.conf";

/**
 * Chooses the servers. A host with systemd-resolved (Ubuntu, Fedora) has `nameserver 127.0.0.53`,
 * and a node is a network namespace with a loopback of its own. `behind` is the configuration of
 * that server itself, undefined if it does not exist.
 */
export function chooseNodeResolver(etc: string, behind: string | undefined): NodeResolver {
  const stubs = parseResolvConf(etc).servers.filter(isLoopback);
  const reachable = parseResolvConf(behind ?? "").servers.filter((server) => !isLoopback(server));
  return stubs.length > 0 && reachable.length > 0
    ? { resolvConf: behindSystemd, stubs }
    : { resolvConf: undefined, stubs: [] };
}

export async function nodeResolver(): Promise<NodeResolver> {
  const [etc = "", behind] = await Promise.all(
    ["/etc/resolv.conf", behindSystemd].map((file) => readFile(file, "utf8").catch(() => undefined)),
  );
  return chooseNodeResolver(etc, behind);
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.");
}
