import type { BoundPod } from "../../model/bound-pod.ts";

/** /etc/hosts of a pod with its own network, byte for byte as upstream writes it. */
export function hostsFile(pod: BoundPod, hostname: { short: string; full: string }, podIps: readonly string[]): string {
  const lines = [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    "fe00::0\tip6-localnet",
    "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes",
    "fe00::2\tip6-allrouters",
    ...podIps.map((ip) =>
      hostname.full === hostname.short ? `${ip}\t${hostname.short}` : `${ip}\t${hostname.full}\t${hostname.short}`,
    ),
  ];
  return `${[...lines, ...aliasLines(pod)].join("\n")}\n`;
}

/**
 * Returns /etc/hosts of a pod on the node's network: the node's own file, with the pod's additions.
 */
export function nodeHostsFile(pod: BoundPod, nodeText: string): string {
  return `# Kubernetes-managed hosts file (host network).\n${nodeText}${aliasLines(pod)
    .map((line) => `${line}\n`)
    .join("")}`;
}

function aliasLines(pod: BoundPod): string[] {
  const aliases = (pod.spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}`);
  return aliases.length > 0 ? ["", "# Entries added by HostAliases.", ...aliases] : [];
}
