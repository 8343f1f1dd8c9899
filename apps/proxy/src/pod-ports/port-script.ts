import type { PodPort } from "./pod-port.ts";

// NetworkPolicies match packets by their source address, so a pod may only send from its own
// address. Its containers have CAP_NET_RAW by default, and could write any address. One table of
// the bridge family checks each frame where it leaves its pod, before the bridge learns an address
// from it:
//
//   prerouting   of a port in @ports?   no → accepted: another bridge's, or a pod that is not known
//                                       yet
//   from-pod     IPv4, with the pod's own MAC and address     accepted
//                ARP, that announces the pod's own addresses  accepted
//                all other frames                             dropped: IPv6, of which pods have no
//                                                             address, and other protocols, which
//                                                             policies cannot match

const table = "bridge kintsugi-pod-ports";

/** The rules precede the rules of Services (-100) and the bridge's own IPv4 rules (0). */
const priority = -300;

/** Writes the script that replaces the table; without ports it only removes it. */
export function portScript(ports: readonly PodPort[]): string {
  const replaced = [`add table ${table}`, `delete table ${table}`];
  if (ports.length === 0) return `${replaced.join("\n")}\n`;
  const links = [...new Set(ports.map(({ link }) => `"${link}"`))];
  const senders = new Set(ports.map(({ link, mac, address }) => `"${link}" . ${mac} . ${address}`));
  const lines = [
    ...replaced,
    `table ${table} {`,
    "  set ports {",
    "    type ifname ;",
    `    elements = { ${links.join(", ")} }`,
    "  }",
    "  set senders {",
    "    type ifname . ether_addr . ipv4_addr ;",
    `    elements = { ${[...senders].join(", ")} }`,
    "  }",
    "  chain from-pod {",
    "    ether type ip iifname . ether saddr . ip saddr @senders accept",
    "    ether type arp arp htype 1 arp ptype ip iifname . ether saddr . arp saddr ip @senders jump arp-from-pod",
    "    drop",
    "  }",
    "  chain arp-from-pod {",
    "    iifname . arp saddr ether . arp saddr ip @senders accept",
    "  }",
    "  chain prerouting {",
    `    type filter hook prerouting priority ${priority} ; policy accept ;`,
    "    iifname @ports goto from-pod",
    "  }",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}
