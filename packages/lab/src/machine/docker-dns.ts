import { readFile, writeFile } from "node:fs/promises";
import { runCommand } from "../processes/run-command.ts";

/** Where Docker answers for names within a container; there is nothing behind that address anywhere else, pods included. */
const dockerDns = "127.0.0.11";
const resolvConf = "/etc/resolv.conf";

/**
 * In a container of a Docker network: lets the pods of this node ask the node for names, which passes the questions on to Docker, as
 * kind's nodes do. On any other machine nothing is done.
 */
export async function serveDockerDnsToPods(nodeIp: string): Promise<void> {
  const before = await readFile(resolvConf, "utf8");
  if (!before.includes(dockerDns)) return;
  for (const rule of planDnsRules(await runCommand("iptables-save", ["-t", "nat"]), nodeIp))
    await runCommand("iptables", ["-w", "-t", "nat", ...rule]);
  // For links that are made from now on: those of pods. Packets from the network outside still cannot get to the loopback.
  await writeFile("/proc/sys/net/ipv4/conf/default/route_localnet", "1");
  // Last: whoever reads it finds somebody who answers. Docker writes it anew when the container starts again.
  await writeFile(resolvConf, before.replaceAll(dockerDns, nodeIp));
}

// Docker's own rules stay as they are; these are added beside them:
//
//   Docker's   -A DOCKER_OUTPUT -d 127.0.0.11/32 -p udp -m udp --dport 53 -j DNAT --to-destination 127.0.0.11:41335
//   ours       -A PREROUTING -d 10.64.0.11/32 -p udp --dport 53 -j DNAT --to-destination 127.0.0.11:41335    from pods
//              -A OUTPUT     (the same)                                                                      from the node itself

/** Arguments of `iptables`. @throws Error when Docker's rules are not there. */
export function planDnsRules(natRules: string, nodeIp: string): string[][] {
  const found = [...natRules.matchAll(/-d 127\.0\.0\.11\/32 -p (udp|tcp) .*-j DNAT --to-destination (\S+)/g)];
  if (found.length === 0)
    throw new Error(`Docker's rules for ${dockerDns} are not among those that iptables-save shows`);
  return found.flatMap(([, protocol = "", target = ""]) =>
    ["PREROUTING", "OUTPUT"].map((chain) =>
      // prettier-ignore
      ["-A", chain, "-d", `${nodeIp}/32`, "-p", protocol, "--dport", "53", "-j", "DNAT", "--to-destination", target],
    ),
  );
}
