import type { ServerCut } from "../cluster/component.ts";

/** Ports of a server's etcd member and NATS server, for their clients and for one another. */
export const serverPorts = { etcd: 2379, etcdPeer: 2380, nats: 4222, natsRoute: 6222 } as const;

/**
 * Returns the input for `iptables-restore` in the namespace of a server, which has no other rules.
 * Packets are dropped, as in a faulty network; connections end by their own timeouts.
 *
 * - `etcd`: its clients cannot reach any member, including this machine's; its member continues
 * - `nats`: its clients cannot reach any NATS server; its NATS server continues
 * - `servers`: neither its clients nor its members reach the other servers; nodes remain reachable
 */
export function planCut(cut: ServerCut | undefined, { others }: { others: readonly string[] }): string {
  return [
    "*filter",
    ":INPUT ACCEPT [0:0]",
    ":FORWARD ACCEPT [0:0]",
    ":OUTPUT ACCEPT [0:0]",
    ...rulesOf(cut, others),
    "COMMIT",
    "",
  ].join("\n");
}

function rulesOf(cut: ServerCut | undefined, others: readonly string[]): string[] {
  const clients = (port: number) => [
    `-A OUTPUT -p tcp -m tcp --dport ${port} -j DROP`,
    `-A INPUT -p tcp -m tcp --sport ${port} -j DROP`,
  ];
  switch (cut) {
    case undefined:
      return [];
    case "etcd":
      return clients(serverPorts.etcd);
    case "nats":
      return clients(serverPorts.nats);
    case "servers":
      return others.flatMap((address) => [`-A OUTPUT -d ${address} -j DROP`, `-A INPUT -s ${address} -j DROP`]);
  }
}
