/** "address:port" of a destination → "address:port" of each valid endpoint. */
export type UdpDestinations = ReadonlyMap<string, ReadonlySet<string>>;

/** A UDP flow in the kernel's table: its sender, and its destination. */
export interface Flow {
  readonly from: { readonly address: string; readonly port: string };
  readonly to: { readonly address: string; readonly port: string };
}

// The output of `conntrack -L -p udp`, one flow per line, first the sent packets and then their
// answers (wrapped here):
//
//   udp 17 28 src=10.64.1.2 dst=10.96.0.10 sport=40000 dport=53 [UNREPLIED]
//       src=10.64.1.5 dst=10.64.1.2 sport=5353 dport=40000 mark=0 use=1
const line = /src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+) .*?src=(\S+) dst=\S+ sport=(\d+) dport=\d+/;

/**
 * Returns the flows with a destination to which no rule would direct them. The kernel cannot detect
 * the end of a UDP flow, so a client that continues to send from one port keeps the endpoint of its
 * first packet even if that endpoint was removed. If it sent its first packet before there was a
 * rule, it has no endpoint.
 */
export function staleFlows(listing: string, destinations: UdpDestinations): Flow[] {
  return listing.split("\n").flatMap((text) => {
    const [, source = "", to = "", sport = "", dport = "", endpoint = "", port = ""] = line.exec(text) ?? [];
    const endpoints = destinations.get(`${to}:${dport}`);
    if (endpoints === undefined || endpoints.has(`${endpoint}:${port}`)) return [];
    return [{ from: { address: source, port: sport }, to: { address: to, port: dport } }];
  });
}

/** Reports whether a flow that was valid before may be invalid now. */
export function leadElsewhere(before: UdpDestinations | undefined, after: UdpDestinations): boolean {
  return [...after].some(([destination, endpoints]) => {
    const known = before?.get(destination);
    return known === undefined || [...known].some((endpoint) => !endpoints.has(endpoint));
  });
}
