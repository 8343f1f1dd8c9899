// The fixed part of the table. A packet to 10.96.0.10:80 from a pod on this node, or from the node
// itself:
//
//   prerouting (or output)  services: @service-ips leads to `goto service-…`, which chooses an
//                           endpoint at random, `goto endpoint-…`, which rewrites the
//                           destination; the kernel applies it to the rest of the connection
//   forward (or output)     still addressed to a Service: it had no endpoint: reject (or drop),
//                           and the client is notified immediately
//   postrouting             masquerading: packets that were marked on the way are sent with this
//                           node's address, so that the answer is sent back to this node
//
// Names, hooks and priorities are upstream's (pkg/proxy/nftables/proxier.go).

/** The bit of the packet mark for masquerading: upstream's --iptables-masquerade-bit, 14. */
const masqueradeMark = "0x4000";

export const markForMasquerade = "mark-for-masquerade";
export const rejectChain = "reject-chain";

interface BaseChain {
  /** The hook at which the kernel enters the chain; absent: only other chains enter it. */
  readonly hook?: string;
  readonly rules: readonly string[];
}

const filter = (hook: string, priority: number) => `type filter hook ${hook} priority ${priority} ;`;
const nat = (hook: string, priority: number) => `type nat hook ${hook} priority ${priority} ;`;
const dstnat = -100;
const srcnat = 100;

export const baseChains: Readonly<Record<string, BaseChain>> = {
  [markForMasquerade]: { rules: [`mark set mark or ${masqueradeMark}`] },
  masquerading: {
    rules: [`mark and ${masqueradeMark} == 0 return`, `mark set mark xor ${masqueradeMark}`, "masquerade fully-random"],
  },
  // Upstream only has "reject", which is ICMP. On veth it arrives while connect() still holds the
  // socket, and then has no effect until the next SYN, a second later; a reset takes effect
  // immediately.
  [rejectChain]: { rules: ["meta l4proto tcp reject with tcp reset", "reject"] },
  "firewall-check": { rules: ["ip daddr . meta l4proto . th dport vmap @firewall-ips"] },
  "nodeport-endpoints-check": {
    rules: ["ip daddr @nodeport-ips meta l4proto . th dport vmap @no-endpoint-nodeports"],
  },
  "service-endpoints-check": { rules: ["ip daddr . meta l4proto . th dport vmap @no-endpoint-services"] },
  // A port that the Service at this address does not have.
  "cluster-ips-check": { rules: [`ip daddr @cluster-ips goto ${rejectChain}`] },
  services: {
    rules: [
      "ip daddr . meta l4proto . th dport vmap @service-ips",
      "ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports",
    ],
  },
  "filter-prerouting-pre-dnat": {
    hook: filter("prerouting", dstnat - 10),
    rules: ["ct state new jump firewall-check"],
  },
  "filter-output-pre-dnat": { hook: filter("output", dstnat - 10), rules: ["ct state new jump firewall-check"] },
  "filter-input": {
    hook: filter("input", 0),
    rules: ["ct state new jump nodeport-endpoints-check", "ct state new jump service-endpoints-check"],
  },
  "filter-forward": {
    hook: filter("forward", 0),
    rules: ["ct state new jump service-endpoints-check", "ct state new jump cluster-ips-check"],
  },
  "filter-output": { hook: filter("output", 0), rules: ["ct state new jump service-endpoints-check"] },
  "filter-output-post-dnat": {
    hook: filter("output", dstnat + 10),
    rules: ["ct state new jump cluster-ips-check"],
  },
  "nat-prerouting": { hook: nat("prerouting", dstnat), rules: ["jump services"] },
  "nat-output": { hook: nat("output", dstnat), rules: ["jump services"] },
  "nat-postrouting": { hook: nat("postrouting", srcnat), rules: ["jump masquerading"] },
};
