import { createHash } from "node:crypto";
import type { BalancerTarget } from "../choose-target.ts";
import type { PassedBalancer } from "./passed-ports.ts";

// The table of this host for one cloud. A packet of a client to 10.64.0.220:80:
//
//   prerouting (or output)  its destination becomes 10.64.0.12:30080, a healthy node's port; its
//                           source is unchanged, and the kernel tracks both for the connection
//   input                   still addressed to the balancer: no node is healthy, or the client is
//                           in no allowed range: it is rejected
//   forward (or output)     a connection whose node failed its checks is reset
//   postrouting             packets of the cluster's own machines get this host's address: their
//                           answers would be sent directly from node to node, past this host

/** Slots of the table from which a sticky client's hash chooses; each target has its share. */
const slotCount = 64;

export interface PassingOptions {
  readonly table: string;
  /** The addresses of the cluster's machines and pods: "10.64.0.0/16". */
  readonly clusterNetwork: string;
}

/** Returns the nft script that atomically replaces the whole table. */
export function passingScript(balancers: readonly PassedBalancer[], options: PassingOptions): string {
  const head = `table ip ${options.table}\ndelete table ip ${options.table}\n`;
  if (balancers.length === 0) return head;
  const ways = balancers.flatMap((balancer) =>
    balancer.ports.map((port) => ({
      ...port,
      balancer,
      protocol: port.protocol.toLowerCase(),
      chain: `to-${balancer.address}-${port.protocol.toLowerCase()}-${port.port}`,
    })),
  );
  const chains = [
    ...ways.flatMap(({ balancer, protocol, nodePort, chain }) =>
      balancer.healthy.length === 0
        ? []
        : [chainOf(chain, [`meta l4proto ${protocol} dnat to ${choice(balancer)} : ${nodePort}`])],
    ),
    chainOf(
      "services",
      ways.flatMap(({ balancer: { healthy, sourceRanges, address }, protocol, port, chain }) => {
        if (healthy.length === 0) return [];
        const ranges = sourceRanges.length === 0 ? [""] : sourceRanges.map((range) => `ip saddr ${range} `);
        return ranges.map((range) => `ip daddr ${address} ${protocol} dport ${port} ${range}goto ${chain}`);
      }),
    ),
    chainOf("refuse", ["meta l4proto tcp reject with tcp reset", "reject"]),
    // The direction prevents the reset itself, which is an answer of the connection, from being
    // rejected in turn.
    chainOf(
      "broken",
      ways.flatMap(({ balancer: { address, unhealthy }, protocol, port }) =>
        unhealthy.length === 0
          ? []
          : [
              `meta l4proto ${protocol} ct direction original ct original ip daddr ${address} ct original proto-dst ${port} ct reply ip saddr { ${unhealthy.map((target) => target.address).join(", ")} } goto refuse`,
            ],
      ),
    ),
    hook("arriving", "nat hook prerouting priority -100", ["jump services"]),
    hook("own", "nat hook output priority -100", ["jump services"]),
    hook(
      "unserved",
      "filter hook input priority 0",
      ways.map(
        ({ balancer: { address }, protocol, port }) => `ip daddr ${address} ${protocol} dport ${port} jump refuse`,
      ),
    ),
    hook("forwarded", "filter hook forward priority 0", ["jump broken"]),
    hook("sent", "filter hook output priority 0", ["jump broken"]),
    hook("leaving", "nat hook postrouting priority 100", [
      `ip saddr ${options.clusterNetwork} ct status dnat ct original ip daddr { ${[...new Set(balancers.map(({ address }) => address))].join(", ")} } masquerade`,
    ]),
  ];
  return `${head}table ip ${options.table} {\n${chains.join("")}}\n`;
}

function chainOf(name: string, rules: readonly string[]): string {
  return `  chain ${name} {\n${rules.map((rule) => `    ${rule}\n`).join("")}  }\n`;
}

function hook(name: string, type: string, rules: readonly string[]): string {
  return chainOf(name, [`type ${type};`, ...rules]);
}

/**
 * Connections use the targets in rotation. Connections of a sticky client use the target of its
 * address's hash.
 */
function choice({ healthy, sticky }: PassedBalancer): string {
  const entries = (targets: readonly BalancerTarget[]) =>
    targets.map(({ address }, index) => `${index} : ${address}`).join(", ");
  if (!sticky) return `numgen inc mod ${healthy.length} map { ${entries(healthy)} }`;
  return `jhash ip saddr mod ${slotCount} seed 0x6b696e map { ${entries(slots(healthy))} }`;
}

/**
 * Assigns each slot to the target with the lowest hash of slot and target (rendezvous hashing).
 * When a target is removed, only its own slots move.
 */
function slots(targets: readonly BalancerTarget[]): BalancerTarget[] {
  return Array.from({ length: slotCount }, (_, slot) => {
    const weight = ({ address }: BalancerTarget) => createHash("sha256").update(`${slot} ${address}`).digest("hex");
    return targets.toSorted((a, b) => (weight(a) < weight(b) ? -1 : 1))[0];
  }).filter((target) => target !== undefined);
}
